import ml_dtypes
import numpy as np
import pytest

from octavo.dialects import create_context
from octavo.errors import OctavoError
from octavo.interpret import evaluate
from octavo.mlir import ir

WEIGHT = """
func.func @main() -> tensor<2x3xbf16> {
  %0 = "llm.weight"() {key = "layer.0.w"} : () -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}
"""


def evaluate_text(text: str, weights: dict[str, np.ndarray]) -> list[np.ndarray]:
    with create_context():
        return evaluate(ir.Module.parse(text), [], weights=weights)


def test_call_runs_the_callee(run_text) -> None:
    got = run_text(
        """
        func.func private @swap(%a: i32, %b: i32) -> (i32, i32) {
          return %b, %a : i32, i32
        }
        func.func @main(%a: i32, %b: i32) -> (i32, i32, i32) {
          %0:2 = call @swap(%a, %b) : (i32, i32) -> (i32, i32)
          %1:2 = call @swap(%0#0, %a) : (i32, i32) -> (i32, i32)
          return %0#0, %0#1, %1#1 : i32, i32, i32
        }
        """,
        np.array(1, np.int32),
        np.array(2, np.int32),
    )
    assert got == [2, 1, 2]


def test_weight_is_looked_up_by_key() -> None:
    array = np.ones((2, 3), ml_dtypes.bfloat16)
    [got] = evaluate_text(WEIGHT, {"layer.0.w": array})
    np.testing.assert_array_equal(got, array)


def test_a_missing_weight_is_an_error() -> None:
    with pytest.raises(OctavoError, match=r"no weight 'layer\.0\.w' among the 1 given to evaluate"):
        evaluate_text(WEIGHT, {"other": np.zeros(1)})


def test_a_weight_of_another_type_is_an_error() -> None:
    message = r"expected tensor<2x3xbf16>, got float32 of shape \[2, 3\]"
    with pytest.raises(OctavoError, match=message):
        evaluate_text(WEIGHT, {"layer.0.w": np.zeros((2, 3), np.float32)})


def test_an_assertion_that_fails_says_so(run_text) -> None:
    text = """
    func.func @main(%x: i1) -> i1 {
      cf.assert %x, "sizes differ"
      return %x : i1
    }
    """
    assert run_text(text, np.array(True)) == [True]
    with pytest.raises(OctavoError, match=r"'cf.assert' at .*: sizes differ"):
        run_text(text, np.array(False))
