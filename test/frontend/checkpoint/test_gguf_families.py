"""Every family survives the way through a GGUF file: names, layout, configuration and numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from octavo.frontend.checkpoint import check_tensors, open_checkpoint
from octavo.frontend.checkpoint.gguf_families import FAMILIES, is_rope_tensor


def logits(model: PreTrainedModel, tokens: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = model(tokens).logits
    return found


def test_a_model_comes_back_from_a_gguf_file(
    case: Any,
    random_model: Callable[[Any], PreTrainedModel],
    to_gguf: Callable[..., Path],
    rng: np.random.Generator,
) -> None:
    model = random_model(case)
    checkpoint = open_checkpoint(to_gguf(model, case.architecture))
    parameters = dict(model.named_parameters())
    check_tensors(checkpoint, {name: tensor.shape for name, tensor in parameters.items()})
    assert set(checkpoint.tensors) == set(parameters)

    again = AutoModelForCausalLM.from_config(checkpoint.config).eval()
    for name, parameter in again.named_parameters():
        found = checkpoint.read(name)
        # Gemma's norms went through an addition of one in f32; all else is the same bits.
        tolerance = 2e-7 if case.architecture.startswith("gemma") and "norm" in name else 0.0
        torch.testing.assert_close(found, parameters[name].data, rtol=0, atol=tolerance)
        info = checkpoint.tensors[name]
        assert (info.shape, info.dtype) == (tuple(found.shape), found.dtype)
        parameter.data.copy_(found)

    # 20 tokens reach past every window; the order of the sums in a row of logits may differ.
    tokens = torch.from_numpy(rng.integers(0, model.config.vocab_size, (2, 20)))
    torch.testing.assert_close(logits(again, tokens), logits(model, tokens), rtol=1e-5, atol=1e-5)


def test_the_configuration_has_what_the_file_states(
    case: Any, random_model: Callable[[Any], PreTrainedModel], to_gguf: Callable[..., Path]
) -> None:
    model = random_model(case)
    config = open_checkpoint(to_gguf(model, case.architecture)).config
    assert config.tie_word_embeddings == model.config.tie_word_embeddings
    assert config.max_position_embeddings == model.config.max_position_embeddings
    if case.name not in ("mistral", "llama3-unusual"):
        # Mistral's files say llama, and factors of no known kind are LongRoPE's.
        assert config.model_type == case.model_type
        stated = getattr(model.config, "rope_parameters", {})
        assert {key: config.rope_parameters[key] for key in stated} == stated


@pytest.mark.parametrize(
    ("name", "is_rope"),
    [
        ("rope_freqs.weight", True),
        ("blk.3.attn_rot_embd.weight", True),
        ("rope_factors_long.weight", True),
        ("blk.0.attn_q.weight", False),
        ("rope_freqs", False),
    ],
)
def test_rope_tensors_are_no_weights(name: str, is_rope: bool) -> None:
    assert is_rope_tensor(name) == is_rope


def test_names_that_a_family_does_not_have() -> None:
    for name in (
        "blk.0.ffn_gate_inp.weight",
        "blk.x.attn_q.weight",
        "blk.0.attn_q",
        "attn_q.weight",
    ):
        assert FAMILIES["llama"].parameter(name) is None
