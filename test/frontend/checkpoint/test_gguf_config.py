"""What a GGUF file does not say, or says wrongly, about a model."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedConfig, PreTrainedModel

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_config import gguf_config
from octavo.frontend.checkpoint.gguf_header import GGUFHeader, GGUFTensor, read_gguf_header
from octavo.frontend.checkpoint.gguf_metadata import read_metadata
from octavo.frontend.checkpoint.gguf_types import gguf_type

F32 = gguf_type(0, "", Path())
PATH = Path("m.gguf")


def described(architecture: str, layers: int, **values: Any) -> GGUFHeader:
    """A header of `layers` layers of 8 heads of 16 elements, width 64, as far as a configuration reads it."""
    tensors = {"token_embd.weight": (500, 64), "output_norm.weight": (64,)}
    tensors |= {f"blk.{layer}.attn_output.weight": (64, 128) for layer in range(layers)}
    tensors["blk.0.ffn_down.weight"] = (64, 256)
    keys = {
        "block_count": layers,
        "context_length": 1024,
        "embedding_length": 64,
        "feed_forward_length": 256,
        "attention.head_count": 8,
        "attention.head_count_kv": 4,
        "attention.key_length": 16,
        "attention.layer_norm_rms_epsilon": 1e-6,
        **{name.replace("__", "."): value for name, value in values.items()},
    }
    return GGUFHeader(
        PATH,
        {
            "general.architecture": architecture,
            **{
                f"{architecture}.{name}": value for name, value in keys.items() if value is not None
            },
        },
        {name: GGUFTensor(shape, F32, 0) for name, shape in tensors.items()},
    )


def config(header: GGUFHeader) -> PreTrainedConfig:
    return gguf_config(header, read_metadata(header))


@pytest.mark.parametrize(
    ("architecture", "layers", "scalar"),
    [("gemma2", 26, 16), ("gemma2", 46, 64 // 8), ("gemma3", 26, 16), ("gemma3", 62, 64 // 8)],
)
def test_the_largest_gemma_scales_attention_by_its_width(
    architecture: str, layers: int, scalar: int
) -> None:
    assert config(described(architecture, layers)).query_pre_attn_scalar == scalar


def sliding(found: PreTrainedConfig) -> list[int]:
    return [i for i, kind in enumerate(found.layer_types) if kind == "sliding_attention"]


def test_which_layers_slide() -> None:
    window = {"attention__sliding_window": 8}
    assert sliding(config(described("gemma2", 5))) == [0, 2, 4]
    assert sliding(config(described("gemma3", 8, **window))) == [0, 1, 2, 3, 4, 6, 7]
    pattern = {"attention__sliding_window_pattern": 3}
    assert sliding(config(described("gemma3", 5, **window, **pattern))) == [0, 1, 3, 4]
    flags = {"attention__sliding_window_pattern": [False, True, True]}
    assert sliding(config(described("gemma3", 3, **window, **flags))) == [1, 2]
    # The smallest models of the family have no window at all.
    assert sliding(config(described("gemma3", 8))) == []


def test_a_window_of_zero_is_none() -> None:
    assert config(described("phi3", 2, attention__sliding_window=0)).sliding_window is None
    assert config(described("phi3", 2, attention__sliding_window=7)).sliding_window == 7


def test_softcaps_of_gemma2_without_keys() -> None:
    found = config(described("gemma2", 2))
    assert (found.attn_logit_softcapping, found.final_logit_softcapping) == (50.0, 30.0)
    assert found.sliding_window == 4096


def test_heads_of_keys_default_to_all() -> None:
    assert config(described("llama", 2, attention__head_count_kv=None)).num_key_value_heads == 8


def test_the_padding_token_is_no_index() -> None:
    header = described("phi3", 1)
    metadata = {**header.metadata, "tokenizer.ggml.padding_token_id": 32000}
    assert config(replace(header, metadata=metadata)).pad_token_id is None


WRONG: list[tuple[Mapping[str, Any], str]] = [
    ({"block_count": None}, "'llama.block_count': expected a whole number .* got None"),
    (
        {"block_count": 1 << 30},
        "'llama.block_count': expected the number of layers with tensors, 2",
    ),
    ({"embedding_length": 65}, r"'llama.embedding_length': expected the width of .* \(500, 64\)"),
    (
        {"feed_forward_length": 1 << 30},
        r"'llama.feed_forward_length': expected the width of 'blk.0.ffn_down.weight', \(64, 256\)",
    ),
    ({"attention__head_count": 9}, r"'llama.attention.head_count': expected heads of 16 .* got 9"),
    ({"attention__key_length": 1 << 29}, r"expected heads of 536870912 to fill .* \(64, 128\)"),
    ({"attention__head_count_kv": 0}, "'llama.attention.head_count_kv': expected a whole number"),
    ({"attention__head_count": [8, 4]}, r"expected a whole number .* got \[8, 4\]"),
    ({"attention__layer_norm_rms_epsilon": "x"}, "epsilon': expected a finite number, got x"),
    ({"context_length": -5}, "'llama.context_length': expected a whole number .* got -5"),
]


@pytest.mark.parametrize(("values", "message"), WRONG)
def test_values_that_cannot_be(values: Mapping[str, Any], message: str) -> None:
    with pytest.raises(CaptureError, match=message):
        config(described("llama", 2, **values))


def test_flags_of_other_layers() -> None:
    flags = {"attention__sliding_window": 8, "attention__sliding_window_pattern": [True]}
    with pytest.raises(CaptureError, match=r"expected a period or 3 flags, got \[True\]"):
        config(described("gemma3", 3, **flags))


def test_olmo3_says_so() -> None:
    with pytest.raises(CaptureError, match=r"m.gguf holds an Olmo 3 model"):
        config(described("olmo2", 2, attention__sliding_window=4096))


def test_a_layer_without_tensors(tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]) -> None:
    header = read_gguf_header(to_gguf(tiny_llama))
    tensors = {name.replace("blk.1.", "blk.2."): tensor for name, tensor in header.tensors.items()}
    with pytest.raises(CaptureError, match="number of layers with tensors, 2, got 2"):
        config(replace(header, tensors=tensors))
