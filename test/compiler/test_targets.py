"""The table of targets, and that each of them compiles a whole step."""

from pathlib import Path

import pytest

from octavo.compiler.iree import compile_module
from octavo.compiler.pipeline import lower_calls
from octavo.compiler.targets import TARGETS, Target, target_named
from octavo.dialects import create_context
from octavo.mlir import ir
from octavo.passes.runner import run_pipeline

# One of each operation that a decoder layer is made of.
STEP = """
!ids = tensor<2x3xi32>
!row = tensor<2xi32>
!table = tensor<2x?xi32>
!x = tensor<2x3x32xELEMENT>
!heads = tensor<2x3x2x16xELEMENT>
!angles = tensor<2x3x8xf32>
!pool = tensor<?x2x4x16xELEMENT>
!square = tensor<32x32xELEMENT>
func.func @step(%tokens: !ids, %start: !row, %lens: !row, %table: !table,
    %k: !pool {llm.state = "k"}, %v: !pool {llm.state = "v"})
    -> (tensor<2x97xELEMENT>, !pool {llm.state = "k"}, !pool {llm.state = "v"}) {
  %e = "llm.weight"() {key = "e"} : () -> tensor<97x32xELEMENT>
  %n = "llm.weight"() {key = "n"} : () -> tensor<32xELEMENT>
  %w = "llm.weight"() {key = "w"} : () -> !square
  %f = "llm.weight"() {key = "f"} : () -> tensor<8xf32>
  %p = "llm.positions"(%tokens, %start, %lens) : (!ids, !row, !row) -> !ids
  %cos, %sin = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (!ids, tensor<8xf32>) -> (!angles, !angles)
  %x = "llm.embedding"(%e, %tokens) : (tensor<97x32xELEMENT>, !ids) -> !x
  %a = "llm.rms_norm"(%x, %n) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (!x, tensor<32xELEMENT>) -> !x
  %b = "llm.linear"(%a, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!x, !square) -> !x
  %h = tensor.expand_shape %b [[0], [1], [2, 3]] output_shape [2, 3, 2, 16] : !x into !heads
  %q = "llm.rope"(%h, %cos, %sin) {style = "neox"} : (!heads, !angles, !angles) -> !heads
  %kn = "llm.kv_write"(%k, %q, %table, %start, %lens) : (!pool, !heads, !table, !row, !row) -> !pool
  %vn = "llm.kv_write"(%v, %h, %table, %start, %lens) : (!pool, !heads, !table, !row, !row) -> !pool
  %y = "llm.paged_attention"(%q, %kn, %vn, %table, %start, %lens)
    {scale = 0.3 : f64, window = none, softcap = none} : (!heads, !pool, !pool, !table, !row, !row) -> !heads
  %c = tensor.collapse_shape %y [[0], [1], [2, 3]] : !heads into !x
  %d = "llm.linear"(%c, %w, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (!x, !square, !x) -> !x
  %g = "llm.swiglu"(%d, %d) : (!x, !x) -> !x
  %z = "llm.logits"(%g, %e, %lens) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
    : (!x, tensor<97x32xELEMENT>, !row) -> tensor<2x97xELEMENT>
  return %z, %kn, %vn : tensor<2x97xELEMENT>, !pool, !pool
}
"""


def lowered(element: str) -> str:
    with create_context():
        module = ir.Module.parse(STEP.replace("ELEMENT", element))
        run_pipeline(module, lower_calls())
        return module.operation.get_asm()


def compile_for(target: Target, element: str, directory: Path) -> None:
    output = directory / "program.vmfb"
    compile_module(lowered(element), target, output)
    assert output.stat().st_size > 0


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_compiles_a_step(name, tmp_path) -> None:
    compile_for(target_named(name), "f32", tmp_path)


# What an element type takes of the compiler, all targets of a driver share.
@pytest.mark.parametrize(
    ("name", "element"),
    [
        (target.name, element)
        for target in {each.driver: each for each in TARGETS.values()}.values()
        for element in target.element_types
        if element != "f32"
    ],
)
def test_compiles_the_element_types_that_it_names(name, element, tmp_path) -> None:
    compile_for(target_named(name), element, tmp_path)


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
