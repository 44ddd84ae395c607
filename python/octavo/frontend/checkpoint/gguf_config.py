"""A GGUF file's metadata as a Hugging Face configuration.

Everything the file states is set, also where it equals the configuration class's default: those are one
model's values and would silently apply to another.
"""

import re
from collections.abc import Callable, Mapping

from transformers import AutoConfig, PreTrainedConfig

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_header import GGUFHeader
from octavo.frontend.checkpoint.gguf_metadata import Metadata
from octavo.frontend.checkpoint.gguf_rope import rope_parameters

Fields = dict[str, object]

# `general.architecture` to `model_type`, where they differ.
_MODEL_TYPES = {"gemma3": "gemma3_text", "gptneox": "gpt_neox"}
_EMBEDDING = "token_embd.weight"
_LAYER = re.compile(r"blk\.(\d+)\.")


def gguf_config(header: GGUFHeader, metadata: Metadata) -> PreTrainedConfig:
    """Build the configuration of a file's model.

    Raises:
        CaptureError: a value is missing or impossible, or contradicts the tensors; says which.
    """
    architecture = metadata.architecture
    fields = _special_tokens(metadata) | _BUILDERS[architecture](header, metadata)
    fields["tie_word_embeddings"] = "output.weight" not in header.tensors
    model_type = _MODEL_TYPES.get(architecture, architecture)
    if model_type == "llama" and metadata.has("attention.sliding_window"):
        model_type = "mistral"
        fields["sliding_window"] = _window(metadata)
    try:
        return AutoConfig.for_model(model_type, **fields)
    # Each configuration class checks its fields with exceptions of its own choice.
    except Exception as error:
        raise CaptureError(
            f"the metadata of {header.path} makes no configuration of '{model_type}': {error}"
        ) from error


def _special_tokens(metadata: Metadata) -> Fields:
    return {
        "bos_token_id": metadata.token_id("bos"),
        "eos_token_id": metadata.token_id("eos"),
        # Not the padding token: as an index of the embedding it would have to be one of its rows.
        "pad_token_id": None,
    }


def _sizes(header: GGUFHeader, metadata: Metadata) -> tuple[Fields, int]:
    """Sizes that every family has, checked against the tensors; and the head's."""
    hidden, heads = metadata.size("embedding_length"), metadata.size("attention.head_count")
    layers = metadata.size("block_count")
    embedding = header.tensors.get(_EMBEDDING)
    if embedding is None or len(embedding.shape) != 2 or embedding.shape[1] != hidden:
        raise metadata.wrong(
            "embedding_length",
            f"the width of '{_EMBEDDING}', {embedding and embedding.shape}",
            hidden,
        )
    found = {int(match[1]) for name in header.tensors if (match := _LAYER.match(name))}
    # Before anything is made for each layer: a damaged count could be two thousand million.
    if found != set(range(len(found))) or len(found) != layers:
        raise metadata.wrong(
            "block_count", f"the number of layers with tensors, {len(found)}", layers
        )
    head_dim = metadata.size("attention.key_length", hidden // heads or 1)
    output = header.tensors.get("blk.0.attn_output.weight")
    if output is None or output.shape[-1] != heads * head_dim:
        raise metadata.wrong(
            "attention.head_count",
            f"heads of {head_dim} to fill 'blk.0.attn_output.weight', {output and output.shape}",
            heads,
        )
    inner = metadata.size("feed_forward_length")
    down = header.tensors.get("blk.0.ffn_down.weight")
    if down is None or down.shape[-1] != inner:
        raise metadata.wrong(
            "feed_forward_length",
            f"the width of 'blk.0.ffn_down.weight', {down and down.shape}",
            inner,
        )
    sizes: Fields = {
        "vocab_size": embedding.shape[0],
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "max_position_embeddings": metadata.size("context_length"),
    }
    return sizes, head_dim


def _decoder(header: GGUFHeader, metadata: Metadata) -> Fields:
    """What llama and everything after it share."""
    sizes, head_dim = _sizes(header, metadata)
    heads = metadata.size("attention.head_count")
    return sizes | {
        "head_dim": head_dim,
        "num_key_value_heads": metadata.size("attention.head_count_kv", heads),
        "rms_norm_eps": metadata.number("attention.layer_norm_rms_epsilon"),
        "attention_bias": "blk.0.attn_q.bias" in header.tensors,
        "rope_parameters": rope_parameters(header, metadata, head_dim),
    }


def _llama(header: GGUFHeader, metadata: Metadata) -> Fields:
    return _decoder(header, metadata) | {"mlp_bias": "blk.0.ffn_up.bias" in header.tensors}


def _qwen2(header: GGUFHeader, metadata: Metadata) -> Fields:
    fields = _decoder(header, metadata)
    # Not a choice in this family: queries, keys and values have biases.
    del fields["attention_bias"]
    return fields


def _olmo2(header: GGUFHeader, metadata: Metadata) -> Fields:
    if metadata.has("attention.sliding_window"):
        raise CaptureError(
            f"{header.path} holds an Olmo 3 model (it has sliding windows), which is not supported. "
            "Use a model of a supported family."
        )
    return _decoder(header, metadata)


def _gemma2(header: GGUFHeader, metadata: Metadata) -> Fields:
    fields = _decoder(header, metadata)
    return fields | {
        "query_pre_attn_scalar": _attention_scalar(fields, largest=46),
        "sliding_window": metadata.size("attention.sliding_window", 4096),
        "attn_logit_softcapping": metadata.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": metadata.number("final_logit_softcapping", 30.0),
        "layer_types": _layer_types(metadata, period=2),
    }


def _gemma3(header: GGUFHeader, metadata: Metadata) -> Fields:
    fields = _decoder(header, metadata)
    window = _window(metadata)
    cap = "final_logit_softcapping"
    return fields | {
        "query_pre_attn_scalar": _attention_scalar(fields, largest=62),
        "sliding_window": window,
        cap: metadata.number(cap) if metadata.has(cap) else None,
        "layer_types": _layer_types(metadata, period=6 if window else 1),
        "rope_parameters": {
            "full_attention": fields["rope_parameters"],
            "sliding_attention": {
                "rope_type": "default",
                "rope_theta": metadata.number("rope.freq_base_swa", 10000.0),
            },
        },
    }


def _attention_scalar(fields: Mapping[str, object], largest: int) -> object:
    # Not in the file. llama.cpp knows the largest model of a generation by its layers: it alone divides the
    # width by the heads, all others take the head's size.
    if fields["num_hidden_layers"] != largest:
        return fields["head_dim"]
    hidden, heads = fields["hidden_size"], fields["num_attention_heads"]
    assert isinstance(hidden, int)
    assert isinstance(heads, int)
    return hidden // heads


def _layer_types(metadata: Metadata, period: int) -> list[str]:
    """Name each layer's attention: full on every `period`-th, sliding elsewhere."""
    layers = metadata.size("block_count")
    pattern = metadata.values.get(metadata.key("attention.sliding_window_pattern"), period)
    if isinstance(pattern, list) and len(pattern) == layers:
        sliding = [bool(entry) for entry in pattern]
    elif type(pattern) is int and pattern > 0:
        sliding = [(layer + 1) % pattern != 0 for layer in range(layers)]
    else:
        raise metadata.wrong(
            "attention.sliding_window_pattern", f"a period or {layers} flags", pattern
        )
    return ["sliding_attention" if entry else "full_attention" for entry in sliding]


def _window(metadata: Metadata) -> int | None:
    """The sliding window's size; zero and nothing both mean none."""
    if metadata.values.get(metadata.key("attention.sliding_window"), 0) == 0:
        return None
    return metadata.size("attention.sliding_window")


def _phi3(header: GGUFHeader, metadata: Metadata) -> Fields:
    fields = _decoder(header, metadata)
    del fields["attention_bias"]
    context = metadata.size("context_length")
    original = metadata.size("rope.scaling.original_context_length", context)
    return fields | {
        "sliding_window": _window(metadata),
        "original_max_position_embeddings": original,
    }


def _gpt2(header: GGUFHeader, metadata: Metadata) -> Fields:
    sizes, _ = _sizes(header, metadata)
    return {
        "vocab_size": sizes["vocab_size"],
        "n_embd": sizes["hidden_size"],
        "n_inner": sizes["intermediate_size"],
        "n_layer": sizes["num_hidden_layers"],
        "n_head": sizes["num_attention_heads"],
        "n_positions": sizes["max_position_embeddings"],
        "layer_norm_epsilon": metadata.number("attention.layer_norm_epsilon"),
    }


def _gpt_neox(header: GGUFHeader, metadata: Metadata) -> Fields:
    sizes, head_dim = _sizes(header, metadata)
    parallel = metadata.values.get(metadata.key("use_parallel_residual"), True)
    return sizes | {
        "layer_norm_eps": metadata.number("attention.layer_norm_epsilon"),
        "use_parallel_residual": bool(parallel),
        "attention_bias": "blk.0.attn_qkv.bias" in header.tensors,
        "rope_parameters": rope_parameters(header, metadata, head_dim),
    }


_BUILDERS: Mapping[str, Callable[[GGUFHeader, Metadata], Fields]] = {
    "llama": _llama,
    "smollm3": _llama,
    "qwen2": _qwen2,
    "qwen3": _decoder,
    "gemma": _decoder,
    "gemma2": _gemma2,
    "gemma3": _gemma3,
    "olmo2": _olmo2,
    "phi3": _phi3,
    "gpt2": _gpt2,
    "gptneox": _gpt_neox,
}
