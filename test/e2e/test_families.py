"""Every family, compiled for this CPU: a prefill, a chunk and decode steps give transformers' logits."""

import copy

import numpy as np
import pytest
import torch
from families import FAMILIES, PLAN, VOCAB_SIZE

TOLERANCE = 1e-4
NUM_BLOCKS = 19


def run_plan(
    executable, tokens: np.ndarray, rng: np.random.Generator
) -> list[tuple[int, int, np.ndarray]]:
    """Run `PLAN` over scattered blocks; return row, position and logits of each row's last tokens."""
    executable.allocate_kv(NUM_BLOCKS)
    # Blocks in no order; the entry past a row's own is some other row's.
    table = rng.permutation(NUM_BLOCKS)[:18].reshape(3, 6).astype(np.int32)
    start = np.zeros(3, np.int32)
    results = []
    for num_tokens, lens in PLAN:
        padded = rng.integers(0, VOCAB_SIZE, (3, num_tokens), dtype=np.int32)
        for row, length in enumerate(lens):
            padded[row, :length] = tokens[row, start[row] : start[row] + length]
        logits = executable.step(padded, start.copy(), np.array(lens, np.int32), table)
        assert np.isfinite(logits).all()
        start += np.array(lens, np.int32)
        results += [
            (row, start[row] - 1, logits[row].copy()) for row, length in enumerate(lens) if length
        ]
    return results


@pytest.mark.parametrize(
    ("family", "level"),
    [*((family, "O2") for family in FAMILIES), ("gemma2", "O0"), ("gpt2", "O0"), ("phi3", "O1")],
)
def test_steps_give_the_models_logits(family, level, rng, tiny_model, open_tiny) -> None:
    tokens = rng.integers(0, VOCAB_SIZE, (3, 20), dtype=np.int32)
    expected = tiny_model(family).logits(tokens)
    worst = 0.0
    for row, position, logits in run_plan(open_tiny(family, level=level), tokens, rng):
        want = expected[row, position]
        worst = max(worst, float(np.abs(logits - want).max() / np.abs(want).max()))
    print(f"{family}: relative error {worst:.1e}")
    assert worst < TOLERANCE


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("family", ["llama-mqa-biases", "gemma2"])
def test_half_types_are_as_close_to_f32_as_transformers(
    family, dtype, rng, tiny_model, open_tiny
) -> None:
    """Both round in different places, so each is compared with the f32 model; both errors are random."""
    tokens = rng.integers(0, VOCAB_SIZE, (3, 20), dtype=np.int32)
    model = tiny_model(family)
    exact = model.logits(tokens)
    half = copy.deepcopy(model.module).to({"bf16": torch.bfloat16, "f16": torch.float16}[dtype])
    with torch.inference_mode():
        output = half(input_ids=torch.from_numpy(tokens).long(), use_cache=False)
    theirs = output.logits.float().numpy()
    results = run_plan(open_tiny(family, dtype=dtype), tokens, rng)
    where = [(row, position) for row, position, _ in results]
    ours = np.stack([logits for _, _, logits in results])

    def error(logits: np.ndarray) -> float:
        return float(np.sqrt(np.mean((logits - np.stack([exact[at] for at in where])) ** 2)))

    limit = error(np.stack([theirs[at] for at in where]))
    print(f"{family} {dtype}: root mean square error {error(ours):.4f}, transformers {limit:.4f}")
    assert error(ours) < 1.25 * limit
