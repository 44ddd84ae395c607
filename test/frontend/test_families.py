"""Every family, tiny and random: what is lifted, paged and fused computes what transformers computes."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from families import FAMILIES, PLAN, SIMILAR, VOCAB_SIZE, config

from octavo.compiler.pipeline import StepShape
from octavo.config import Bucket


@pytest.fixture(scope="module", params=[*FAMILIES, *SIMILAR])
def pair(request: pytest.FixtureRequest, seed: int, build_pair: Callable[..., Any]) -> Any:
    """A family's model and the program captured from its config, in f32."""
    print(f"to repeat: pytest --seed {seed} {Path(__file__).name} -k {request.param}")
    return build_pair((FAMILIES | SIMILAR)[request.param](), np.random.default_rng(seed))


def test_the_stateless_program_gives_the_models_logits(pair, rng, relative_error) -> None:
    tokens = rng.integers(0, VOCAB_SIZE, (2, 17), dtype=np.int32)
    assert relative_error(pair.logits(tokens), pair.reference(tokens)) < 1e-5


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_the_paged_program_gives_the_models_logits_at_every_step(
    pair, level, rng, relative_error
) -> None:
    """Three rows of different lengths: a prefill, a chunk, five decode steps, idle rows in between."""
    block_size, num_blocks, total = 4, 19, 20
    program = pair.paged(StepShape(block_size, (Bucket(3, 8), Bucket(3, 1))), num_blocks, level)
    tokens = rng.integers(0, VOCAB_SIZE, (3, total), dtype=np.int32)
    expected = pair.reference(tokens)
    # Five blocks a row in no order, and one entry past them that nobody may follow.
    table = rng.permutation(num_blocks)[:18].reshape(3, 6)

    start = np.zeros(3, np.int32)
    for num_tokens, lens in PLAN:
        padded = rng.integers(0, VOCAB_SIZE, (3, num_tokens), dtype=np.int32)
        for row, length in enumerate(lens):
            padded[row, :length] = tokens[row, start[row] : start[row] + length]
        logits = program.step(padded, start, lens, table)
        start += lens
        for row, length in enumerate(lens):
            if length:
                assert relative_error(logits[row], expected[row, start[row] - 1]) < 1e-4
            else:
                assert not logits[row].any()
    assert start.tolist() == [18, 10, 14]


@pytest.mark.parametrize("name", FAMILIES)
def test_bf16_lifts_and_is_no_worse_than_transformers(name, rng, build_pair) -> None:
    """Both round to 8 bits, at different places, so they may differ by as much as both are wrong.

    Compare their distances from the f32 model. Ours is the smaller one, since operations compute in f32
    inside, but both are random: hence the quarter.
    """
    pair = build_pair(FAMILIES[name](), rng, torch.bfloat16)
    tokens = rng.integers(0, VOCAB_SIZE, (2, 17), dtype=np.int32)
    got, theirs = pair.logits(tokens), pair.reference(tokens)
    pair.model.float()
    exact = pair.reference(tokens)
    ours, limit = (np.sqrt(np.mean((each - exact) ** 2)) for each in (got, theirs))
    print(f"root mean square error: {ours:.4f}, transformers {limit:.4f}")
    assert ours < 1.25 * limit


def test_steps_in_bf16_give_f32_logits_near_the_stateless_ones(
    rng, build_pair, relative_error
) -> None:
    pair = build_pair(FAMILIES["gemma2"](), rng, torch.bfloat16)
    program = pair.paged(StepShape(4, (Bucket(2, 9), Bucket(2, 1))), num_blocks=6)
    tokens = rng.integers(0, VOCAB_SIZE, (2, 10), dtype=np.int32)
    table = rng.permutation(6).reshape(2, 3)
    program.step(tokens[:, :9], [0, 0], [9, 9], table)
    logits = program.step(tokens[:, 9:], [9, 9], [1, 1], table)
    # The same roundings, but for what the fused operations do not round any more.
    assert relative_error(logits, pair.logits(tokens)[:, -1]) < 0.05


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("kind", ["LlamaConfig", "GPTNeoXConfig", "Gemma3TextConfig"])
def test_angles_of_far_tokens_are_not_rounded_to_half_types(kind, dtype, rng, build_pair) -> None:
    """bf16 counts to 256 and f16 to 2048: past that, tokens beside each other would share a position."""
    pair = build_pair(config(kind, max_position_embeddings=8192), rng, dtype, max_context=8192)
    tokens = rng.integers(0, VOCAB_SIZE, (2, 9), dtype=np.int32)
    positions = np.array([[271], [4991]], np.int32) + np.arange(9, dtype=np.int32)
    theirs = pair.reference(tokens, positions)
    exact = dataclasses.replace(pair, model=pair.model.float()).reference(tokens, positions)

    def error(logits: np.ndarray) -> float:
        return float(np.sqrt(np.mean((logits - exact) ** 2)))

    ours = error(pair.logits(tokens, positions))
    print(f"root mean square error {ours:.4f}, transformers {error(theirs):.4f}")
    assert ours < 1.25 * error(theirs)
