"""Steps over a cache compute what the stateless program computes from the whole sequence."""

import numpy as np
import pytest
from attention_model import ATTENTION_MODEL

from octavo.errors import PassError
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import parse_pipeline
from octavo.passes.runner import run_pipeline


@pytest.mark.parametrize("window", ["none", "3 : i64"])
@pytest.mark.parametrize("block_size", [1, 3, 16])
def test_any_split_into_steps(window, block_size, rng, run_pass) -> None:
    text = ATTENTION_MODEL.replace("WINDOW", window)
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
    text = ATTENTION_MODEL.replace("WINDOW", "none").replace("causal = true", "causal = false")
    module = ir.Module.parse(text)
    before = str(module)
    with pytest.raises(PassError, match="cannot be paged"):
        run_pipeline(module, parse_pipeline("paginate-kv"))
    assert str(module) == before
