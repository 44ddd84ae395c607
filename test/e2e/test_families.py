"""Every family, compiled for this CPU: a prefill, a chunk and decode steps give transformers' logits."""

import numpy as np
import pytest
from families import FAMILIES, PLAN, VOCAB_SIZE

TOLERANCE = 1e-4


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_give_the_models_logits(family, rng, tiny_model, open_tiny) -> None:
    executable = open_tiny(family)
    num_blocks, total = 19, 20
    executable.allocate_kv(num_blocks)
    tokens = rng.integers(0, VOCAB_SIZE, (3, total), dtype=np.int32)
    expected = tiny_model(family).logits(tokens)
    # Blocks in no order; the entry past a row's own is some other row's.
    table = rng.permutation(num_blocks)[:18].reshape(3, 6).astype(np.int32)

    start = np.zeros(3, np.int32)
    worst = 0.0
    for num_tokens, lens in PLAN:
        padded = rng.integers(0, VOCAB_SIZE, (3, num_tokens), dtype=np.int32)
        for row, length in enumerate(lens):
            padded[row, :length] = tokens[row, start[row] : start[row] + length]
        logits = executable.step(padded, start.copy(), np.array(lens, np.int32), table)
        start += np.array(lens, np.int32)
        assert np.isfinite(logits).all()
        for row, length in enumerate(lens):
            if length:
                want = expected[row, start[row] - 1]
                worst = max(worst, float(np.abs(logits[row] - want).max() / np.abs(want).max()))
    print(f"{family}: relative error {worst:.1e}")
    assert worst < TOLERANCE
