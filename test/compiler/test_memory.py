"""The estimate of activations against sums made by hand."""

from octavo.compiler.memory import peak_activation_nbytes
from octavo.dialects import create_context
from octavo.mlir import ir

CHAIN = """
func.func @step(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = "llm.scale"(%a) {factor = 2.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = "llm.scale"(%b) {factor = 2.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
"""
FORK = """
func.func @step(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = "llm.scale"(%a) {factor = 2.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = "llm.scale"(%b) {factor = 2.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = arith.addf %a, %c : tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}
"""
ONE = 4 * 8 * 4  # bytes of one value


def peak(text: str, width: int = 1) -> int:
    with create_context(), ir.Location.unknown():
        return peak_activation_nbytes(ir.Module.parse(text), width)


def test_a_chain_holds_a_value_and_its_source() -> None:
    assert peak(CHAIN) == 2 * ONE


def test_a_value_that_is_read_later_stays() -> None:
    assert peak(FORK) == 3 * ONE


def test_half_precision_takes_half() -> None:
    assert peak(CHAIN.replace("f32", "bf16")) == ONE


def test_a_dynamic_axis_takes_the_given_size() -> None:
    assert peak(CHAIN.replace("4x8", "?x8"), width=10) == 2 * 10 * 8 * 4


def test_weights_do_not_count() -> None:
    text = """
    func.func @step() -> tensor<4x8xf32> {
      %w = "llm.weight"() {key = "w"} : () -> tensor<4x8xf32>
      %a = "llm.scale"(%w) {factor = 2.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      return %a : tensor<4x8xf32>
    }
    """
    assert peak(text) == ONE
