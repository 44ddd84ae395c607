"""The table of targets, and that each of them compiles a whole step."""

import pytest

from octavo.compiler.iree import compile_module
from octavo.compiler.pipeline import lower_calls
from octavo.compiler.targets import TARGETS, target_named
from octavo.dialects import create_context
from octavo.mlir import ir
from octavo.passes.runner import run_pipeline

# One of each operation that a decoder layer is made of.
STEP = """
!ids = tensor<BATCHxTOKENSxi32>
!row = tensor<BATCHxi32>
!table = tensor<BATCHx?xi32>
!x = tensor<BATCHxTOKENSx32xELEMENT>
!heads = tensor<BATCHxTOKENSx2x16xELEMENT>
!angles = tensor<BATCHxTOKENSx8xf32>
!pool = tensor<?x2x4x16xELEMENT>
!square = tensor<32x32xELEMENT>
func.func @step(%tokens: !ids, %start: !row, %lens: !row, %table: !table,
    %k: !pool {llm.state = "k"}, %v: !pool {llm.state = "v"})
    -> (tensor<BATCHx97xELEMENT>, !pool {llm.state = "k"}, !pool {llm.state = "v"}) {
  %e = "llm.weight"() {key = "e"} : () -> tensor<97x32xELEMENT>
  %n = "llm.weight"() {key = "n"} : () -> tensor<32xELEMENT>
  %w = "llm.weight"() {key = "w"} : () -> !square
  %f = "llm.weight"() {key = "f"} : () -> tensor<8xf32>
  %p = "llm.positions"(%tokens, %start, %lens) : (!ids, !row, !row) -> !ids
  %cos, %sin = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (!ids, tensor<8xf32>) -> (!angles, !angles)
  %x = "llm.embedding"(%e, %tokens) : (tensor<97x32xELEMENT>, !ids) -> !x
  %a = "llm.rms_norm"(%x, %n) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (!x, tensor<32xELEMENT>) -> !x
  %b = "llm.linear"(%a, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!x, !square) -> !x
  %h = tensor.expand_shape %b [[0], [1], [2, 3]] output_shape [BATCH, TOKENS, 2, 16] : !x into !heads
  %q = "llm.rope"(%h, %cos, %sin) {style = "neox"} : (!heads, !angles, !angles) -> !heads
  %kn = "llm.kv_write"(%k, %q, %table, %start, %lens) : (!pool, !heads, !table, !row, !row) -> !pool
  %vn = "llm.kv_write"(%v, %h, %table, %start, %lens) : (!pool, !heads, !table, !row, !row) -> !pool
  %y = "llm.paged_attention"(%q, %kn, %vn, %table, %start, %lens)
    {scale = 0.3 : f64, window = none, softcap = none} : (!heads, !pool, !pool, !table, !row, !row) -> !heads
  %c = tensor.collapse_shape %y [[0], [1], [2, 3]] : !heads into !x
  %d = "llm.linear"(%c, %w, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (!x, !square, !x) -> !x
  %g = "llm.swiglu"(%d, %d) : (!x, !x) -> !x
  %z = "llm.logits"(%g, %e, %lens) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
    : (!x, tensor<97x32xELEMENT>, !row) -> tensor<BATCHx97xELEMENT>
  return %z, %kn, %vn : tensor<BATCHx97xELEMENT>, !pool, !pool
}
"""


def lowered(element: str, batch: int, tokens: int) -> str:
    sizes = {"ELEMENT": element, "BATCH": str(batch), "TOKENS": str(tokens)}
    text = STEP
    for name, value in sizes.items():
        text = text.replace(name, value)
    with create_context():
        module = ir.Module.parse(text)
        run_pipeline(module, lower_calls())
        return module.operation.get_asm()


@pytest.mark.parametrize("name", sorted(TARGETS))
@pytest.mark.parametrize(("batch", "tokens"), [(1, 1), (2, 24)])
def test_compiles_every_element_type_that_it_names(name, batch, tokens, tmp_path) -> None:
    target = target_named(name)
    for element in target.element_types:
        output = tmp_path / f"{element}.vmfb"
        compile_module(lowered(element, batch, tokens), target, output)
        assert output.stat().st_size > 0


def test_only_programs_for_cpus_need_cpu_features() -> None:
    for target in TARGETS.values():
        assert bool(target.cpu_features) == target.name.startswith("cpu:")


def test_no_two_targets_compile_the_same() -> None:
    named = [target for name, target in TARGETS.items() if name != "cpu:native"]
    assert len({target.flags for target in named}) == len(named)


@pytest.mark.parametrize(
    ("name", "near"),
    [("cuda:sm_90", "cuda:sm_90a"), ("cpu:x86-64-v5", "cpu:x86-64-v4"), ("vulcan", "vulkan")],
)
def test_an_unknown_name_gets_near_ones(name, near) -> None:
    with pytest.raises(ValueError, match=f"no target '{name}': did you mean .*{near}"):
        target_named(name)


def test_a_name_like_no_other_gets_all() -> None:
    with pytest.raises(ValueError, match=r"no target 'xyz': expected one of cpu:native, .*, metal"):
        target_named("xyz")
