"""Every family, tiny and random: what is lifted, paged and fused computes what transformers computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from octavo.compiler.pipeline import StepShape
from octavo.config import Bucket

VOCAB_SIZE = 97
SIZES = {
    "vocab_size": VOCAB_SIZE,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 80,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
# Tokens of the step's bucket, and new tokens of each row; a row with none is idle.
PLAN = [
    (8, (8, 5, 8)),
    (8, (5, 0, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
    (1, (1, 1, 1)),
]
MIXED = ["sliding_attention", "full_attention"]


def config(kind: str, **own: object) -> transformers.PretrainedConfig:
    return getattr(transformers, kind)(**{**SIZES, **own})


# Heads of 12 and 20 values. Windows of 6 tokens are crossed by every sequence here.
FAMILIES: dict[str, Callable[[], transformers.PretrainedConfig]] = {
    "llama-mqa-biases": lambda: config(
        "LlamaConfig", num_key_value_heads=1, attention_bias=True, mlp_bias=True
    ),
    "llama-tied": lambda: config("LlamaConfig", tie_word_embeddings=True),
    "qwen2": lambda: config(
        "Qwen2Config", use_sliding_window=True, sliding_window=6, max_window_layers=1
    ),
    "qwen3": lambda: config("Qwen3Config", head_dim=20, attention_bias=True),
    "mistral": lambda: config("MistralConfig", head_dim=20, sliding_window=6),
    "gemma": lambda: config("GemmaConfig", head_dim=20, num_key_value_heads=1),
    "gemma2": lambda: config(
        "Gemma2Config",
        head_dim=20,
        sliding_window=6,
        layer_types=MIXED,
        query_pre_attn_scalar=10,
        attn_logit_softcapping=2.0,
        final_logit_softcapping=3.0,
    ),
    "gemma3": lambda: config(
        "Gemma3TextConfig",
        head_dim=20,
        sliding_window=6,
        layer_types=MIXED,
        query_pre_attn_scalar=10,
    ),
    "phi3": lambda: config("Phi3Config", sliding_window=6, partial_rotary_factor=0.5),
    "olmo2": lambda: config("Olmo2Config"),
    "smollm3": lambda: config(
        "SmolLM3Config", no_rope_layers=[1, 0], use_sliding_window=True, sliding_window=6
    ),
    "gpt2": lambda: transformers.GPT2Config(
        vocab_size=VOCAB_SIZE,
        n_embd=48,
        n_layer=2,
        n_head=4,
        n_positions=64,
        bos_token_id=1,
        eos_token_id=2,
    ),
    "gpt_neox": lambda: config("GPTNeoXConfig", rotary_pct=0.5),
    "gpt_neox-sequential": lambda: config(
        "GPTNeoXConfig", rotary_pct=0.5, use_parallel_residual=False, tie_word_embeddings=True
    ),
}


@pytest.fixture(scope="module", params=FAMILIES)
def pair(request: pytest.FixtureRequest, seed: int, build_pair: Callable[..., Any]) -> Any:
    """A family's model and the program captured from its config, in f32."""
    print(f"to repeat: pytest --seed {seed} {Path(__file__).name} -k {request.param}")
    return build_pair(FAMILIES[request.param](), np.random.default_rng(seed))


def test_the_stateless_program_gives_the_models_logits(pair, rng, relative_error) -> None:
    tokens = rng.integers(0, VOCAB_SIZE, (2, 17), dtype=np.int32)
    assert relative_error(pair.logits(tokens), pair.reference(tokens)) < 1e-5


def test_the_paged_program_gives_the_models_logits_at_every_step(pair, rng, relative_error) -> None:
    """Three rows of different lengths: a prefill, a chunk, five decode steps, idle rows in between."""
    block_size, num_blocks, total = 4, 19, 20
    program = pair.paged(StepShape(block_size, (Bucket(3, 8), Bucket(3, 1))), num_blocks)
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
