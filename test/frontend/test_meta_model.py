"""Models on meta: which rope frequencies a config gives, and that they are all on meta."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from octavo.errors import CaptureError
from octavo.frontend.meta_model import build_meta_model

VOCAB_SIZE = 97
HEAD_DIM = 12
SIZES = {
    "vocab_size": VOCAB_SIZE,
    "hidden_size": 48,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 80,
    "max_position_embeddings": 16,
    "pad_token_id": 0,
}
DEFAULT = {"rope_type": "default", "rope_theta": 1000.0}
LONGROPE = {
    "rope_type": "longrope",
    "short_factor": [1.1, 1.2, 1.3, 1.4, 1.5, 1.6],
    "long_factor": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    "original_max_position_embeddings": 16,
    "factor": 4.0,
}
# The rope of the config, the context it is captured for, the length it is compared at: transformers changes
# the frequencies of 'dynamic' with each length, and of 'longrope' past the original context.
ROPES: dict[str, tuple[dict[str, Any], int, int]] = {
    "linear": ({"rope_type": "linear", "factor": 4.0}, 64, 24),
    "dynamic-short": ({"rope_type": "dynamic", "factor": 2.0}, 16, 12),
    "dynamic-long": ({"rope_type": "dynamic", "factor": 2.0}, 24, 24),
    "yarn": (
        {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16},
        64,
        24,
    ),
    "llama3": (
        {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 16,
        },
        64,
        24,
    ),
    "longrope-short": (LONGROPE, 16, 12),
    "longrope-long": (LONGROPE, 64, 24),
}


def llama(rope: dict[str, Any]) -> transformers.PretrainedConfig:
    return transformers.LlamaConfig(**SIZES, rope_parameters={**DEFAULT, **rope})


def phi3(rope: dict[str, Any]) -> transformers.PretrainedConfig:
    return transformers.Phi3Config(**SIZES, rope_parameters={**DEFAULT, **rope})


def frequencies(config: transformers.PretrainedConfig, max_context: int) -> torch.Tensor:
    model = build_meta_model(config, torch.float32, max_context)
    return model.buffers["model.rotary_emb.inv_freq"]


@pytest.mark.parametrize("name", ROPES)
def test_a_scaled_rope_gives_the_models_logits(name, rng, build_pair, relative_error) -> None:
    rope, max_context, length = ROPES[name]
    config = llama(rope)
    pair = build_pair(config, rng, max_context=max_context)
    tokens = rng.integers(0, VOCAB_SIZE, (2, length), dtype=np.int32)
    expected = pair.reference(tokens)
    assert relative_error(pair.logits(tokens), expected) < 1e-5

    # What is compared must depend on the scaling.
    plain = transformers.AutoModelForCausalLM.from_config(llama(DEFAULT)).eval()
    plain.load_state_dict(pair.model.state_dict())
    with torch.no_grad():
        without = plain(input_ids=torch.from_numpy(tokens)).logits.numpy()
    is_default = name == "dynamic-short"
    assert (relative_error(without, expected) < 1e-4) == is_default


@pytest.mark.parametrize(("max_context", "length"), [(16, 12), (64, 24)])
def test_phi3s_longrope_rotates_a_part_of_the_head(
    max_context, length, rng, build_pair, relative_error
) -> None:
    rope = {
        **LONGROPE,
        "partial_rotary_factor": 0.5,
        "short_factor": [1.1, 1.2, 1.3],
        "long_factor": [2.0, 3.0, 4.0],
    }
    pair = build_pair(phi3(rope), rng, max_context=max_context)
    tokens = rng.integers(0, VOCAB_SIZE, (2, length), dtype=np.int32)
    assert relative_error(pair.logits(tokens), pair.reference(tokens)) < 1e-5


def test_gemma3_has_a_rope_for_each_type_of_layer(rng, build_pair, relative_error) -> None:
    config = transformers.Gemma3TextConfig(
        **{**SIZES, "num_hidden_layers": 2, "head_dim": HEAD_DIM},
        sliding_window=6,
        layer_types=["sliding_attention", "full_attention"],
        rope_parameters={
            "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
        },
    )
    pair = build_pair(config, rng)
    tokens = rng.integers(0, VOCAB_SIZE, (2, 24), dtype=np.int32)
    assert relative_error(pair.logits(tokens), pair.reference(tokens)) < 1e-5


@pytest.mark.parametrize("kind", ["dynamic", "longrope"])
def test_frequencies_follow_the_context_and_are_fixed_in_the_program(kind) -> None:
    rope = ROPES[f"{kind}-long"][0]
    short, long = (frequencies(llama(rope), max_context) for max_context in (16, 24))
    assert not torch.equal(short, long)
    module = build_meta_model(llama(rope), torch.float32, 24).module
    assert module.model.rotary_emb.rope_type == "default"


def test_the_config_is_left_as_it_was() -> None:
    config = llama(ROPES["dynamic-long"][0])
    before = copy.deepcopy(config.to_dict())
    build_meta_model(config, torch.float32, 24)
    assert config.to_dict() == before


def test_everything_is_on_meta_and_parameters_have_the_asked_type() -> None:
    model = build_meta_model(llama(DEFAULT), torch.bfloat16, 64)
    tensors = [*model.module.parameters(), *model.module.buffers()]
    assert {tensor.device.type for tensor in tensors} == {"meta"}
    assert {tensor.dtype for tensor in model.module.parameters()} == {torch.bfloat16}


def test_tied_weights_stay_one_parameter() -> None:
    tied = transformers.LlamaConfig(**SIZES, tie_word_embeddings=True)
    module = build_meta_model(tied, torch.float32, 64).module
    assert module.lm_head.weight is module.model.embed_tokens.weight


def test_buffers_are_those_that_no_checkpoint_holds() -> None:
    model = build_meta_model(llama(DEFAULT), torch.float32, 64)
    expected = 1000.0 ** -(torch.arange(0, HEAD_DIM, 2) / HEAD_DIM)
    torch.testing.assert_close(model.buffers["model.rotary_emb.inv_freq"], expected)
    assert not set(model.buffers) & set(model.module.state_dict())


def test_a_config_that_is_no_language_model_is_refused() -> None:
    with pytest.raises(
        CaptureError, match=r"model of type 'vit': .*Expected a causal language model"
    ):
        build_meta_model(transformers.ViTConfig(), torch.float32, 64)


def test_a_model_that_computes_attention_itself_is_refused() -> None:
    from transformers import FalconConfig

    config = FalconConfig(vocab_size=61, hidden_size=48, num_hidden_layers=1, num_attention_heads=4)
    with pytest.raises(CaptureError, match="'falcon': its code in transformers computes attention"):
        build_meta_model(config, torch.float32, 64)
