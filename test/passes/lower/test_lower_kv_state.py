"""The cache lives in the program: steps over it give the interpreter's numbers, and no step copies it."""

import dataclasses

import numpy as np
import pytest

from octavo.compiler.iree import compile_module
from octavo.compiler.pipeline import lower_calls
from octavo.compiler.targets import target_named
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes.runner import run_pipeline

NUM_BLOCKS = 12
ALIASES = """
!row = tensor<2xi32>
!table = tensor<2x?xi32>
!pool = tensor<?x2x4x16xf32>
"""
STEP = """
!x = tensor<2xTOKENSx2x16xf32>
func.func @step_b2_tTOKENS(%x: !x, %start: !row, %lens: !row, %table: !table,
    %k: !pool {llm.state = "k"}, %v: !pool {llm.state = "v"})
    -> (!x, !pool {llm.state = "k"}, !pool {llm.state = "v"}) {
  %w = "llm.scale"(%x) {factor = 3.0 : f64} : (!x) -> !x
  %kn = "llm.kv_write"(%k, %x, %table, %start, %lens) : (!pool, !x, !table, !row, !row) -> !pool
  %vn = "llm.kv_write"(%v, %w, %table, %start, %lens) : (!pool, !x, !table, !row, !row) -> !pool
  %y = "llm.paged_attention"(%x, %kn, %vn, %table, %start, %lens)
    {scale = 0.3 : f64, window = none, softcap = none} : (!x, !pool, !pool, !table, !row, !row) -> !x
  return %y, %kn, %vn : !x, !pool, !pool
}
"""
TEXT = ALIASES + "".join(
    STEP.replace("TOKENS", str(tokens)).replace("!x", f"!x{tokens}") for tokens in (5, 1)
)


def test_steps_of_several_entry_points_share_the_cache(rng, random, compile_text) -> None:
    module, program = compile_text(TEXT)
    table = rng.permutation(NUM_BLOCKS)[:8].reshape(2, 4).astype(np.int32)
    steps = [(5, [5, 3]), (1, [1, 1]), (5, [0, 4]), (1, [1, 0]), (5, [2, 2])]
    for _ in range(2):  # allocating again gives zeros again
        program("allocate_kv", NUM_BLOCKS)
        pools = [np.zeros((NUM_BLOCKS, 2, 4, 16), np.float32)] * 2
        start = np.zeros(2, np.int32)
        for tokens, each in steps:
            lens = np.array(each, np.int32)
            inputs = [random(2, tokens, 2, 16), start, lens, table]
            function = f"step_b2_t{tokens}"
            wanted, *pools = evaluate(module, [*inputs, *pools], function=function)
            [got] = program(function, *inputs)
            np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5)
            start = start + lens


@pytest.mark.parametrize("target", ["cpu:x86-64-v3", "vulkan", "cuda:sm_80"])
def test_no_step_copies_a_pool(target, context, tmp_path) -> None:
    module = ir.Module.parse(TEXT)
    run_pipeline(module, lower_calls())
    stop = dataclasses.replace(
        target_named(target), flags=(*target_named(target).flags, "--compile-to=stream")
    )
    compile_module(module.operation.get_asm(), stop, tmp_path / "stream.mlir")
    text = (tmp_path / "stream.mlir").read_text()
    assert "stream.cmd.dispatch" in text
    assert "stream.cmd.copy" not in text
    # Equal pools would be merged into one: each has its own zeros.
    assert text.count("stream.cmd.fill") == 2
