"""Steps over a cache compute what the stateless program computes from the whole sequence."""

import numpy as np
import pytest

from octavo.errors import PassError
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import parse_pipeline
from octavo.passes.runner import run_pipeline

# Two heads that share one of keys and values; keys of 4 and values of 4, window and softcap.
TEXT = """
!ids = tensor<?x?xi32>
!table = tensor<31x8xf32>
!wide = tensor<?x?x8xf32>
!narrow = tensor<?x?x4xf32>
!q = tensor<?x?x2x4xf32>
!kv = tensor<?x?x1x4xf32>
func.func @main(%tokens: !ids, %positions: !ids) -> tensor<?x?x31xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %tokens, %c0 : !ids
  %t = tensor.dim %tokens, %c1 : !ids
  %e = "llm.weight"() {key = "e"} : () -> !table
  %k_weight = "llm.weight"() {key = "k"} : () -> tensor<4x8xf32>
  %v_weight = "llm.weight"() {key = "v"} : () -> tensor<4x8xf32>
  %words = "llm.embedding"(%e, %tokens) : (!table, !ids) -> !wide
  %places = "llm.embedding"(%e, %positions) : (!table, !ids) -> !wide
  %x = arith.addf %words, %places : !wide
  %k = "llm.linear"(%x, %k_weight) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (!wide, tensor<4x8xf32>) -> !narrow
  %v = "llm.linear"(%x, %v_weight) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (!wide, tensor<4x8xf32>) -> !narrow
  %qh = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %t, 2, 4] : !wide into !q
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [%b, %t, 1, 4] : !narrow into !kv
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [%b, %t, 1, 4] : !narrow into !kv
  %a = "llm.attention"(%qh, %kh, %vh) {
    operandSegmentSizes = array<i32: 1, 1, 1, 0>,
    causal = true, scale = 0.7 : f64, softcap = 2.0 : f64, window = WINDOW
  } : (!q, !kv, !kv) -> !q
  %y = tensor.collapse_shape %a [[0], [1], [2, 3]] : !q into !wide
  %logits = "llm.linear"(%y, %e) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (!wide, !table) -> tensor<?x?x31xf32>
  return %logits : tensor<?x?x31xf32>
}
"""


@pytest.mark.parametrize("window", ["none", "3 : i64"])
@pytest.mark.parametrize("block_size", [1, 3, 16])
def test_any_split_into_steps(window, block_size, rng, run_pass) -> None:
    text = TEXT.replace("WINDOW", window)
    weights = {
        key: rng.standard_normal(shape).astype(np.float32)
        for key, shape in {"e": (31, 8), "k": (4, 8), "v": (4, 8)}.items()
    }
    tokens = rng.integers(0, 31, (2, 12), dtype=np.int32)
    positions = np.broadcast_to(np.arange(12, dtype=np.int32), (2, 12))
    [expected] = evaluate(ir.Module.parse(text), [tokens, positions], weights=weights)

    module, changes = run_pass(text, f"paginate-kv{{block-size={block_size}}}")
    assert changes == 1
    blocks_per_row = -(-12 // block_size)
    num_blocks = 2 * blocks_per_row + 3
    table = rng.permutation(num_blocks)[: 2 * blocks_per_row].reshape(2, -1).astype(np.int32)
    pools = [np.full((num_blocks, 1, block_size, 4), np.nan, np.float32) for _ in range(2)]
    start = np.zeros(2, np.int32)
    while np.any(start < 12):
        lens = np.minimum(rng.integers(0, 6, 2), 12 - start).astype(np.int32)
        step_tokens = rng.integers(0, 31, (2, 5), dtype=np.int32)
        for row in range(2):
            step_tokens[row, : lens[row]] = tokens[row, start[row] : start[row] + lens[row]]
        logits, *pools = evaluate(
            module, [step_tokens, start, lens, table, *pools], function="step", weights=weights
        )
        start = start + lens
        for row in range(2):
            wanted = expected[row, start[row] - 1] if lens[row] else np.zeros(31)
            np.testing.assert_allclose(logits[row], wanted, rtol=1e-5, atol=1e-5)


def test_a_failure_leaves_the_module_as_it_was(context) -> None:
    load_all()
    text = TEXT.replace("WINDOW", "none").replace("causal = true", "causal = false")
    module = ir.Module.parse(text)
    before = str(module)
    with pytest.raises(PassError, match="cannot be paged"):
        run_pipeline(module, parse_pipeline("paginate-kv"))
    assert str(module) == before
