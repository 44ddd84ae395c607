"""How each family's tensors are called in a GGUF file and in Hugging Face's model, and how they differ.

GGUF's names are those of `MODEL_TENSORS` in the `gguf` package; what the converter does to values is in
llama.cpp's `conversion/` folder.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from octavo.frontend.checkpoint.gguf_layout import (
    Layout,
    interleave_heads,
    subtract_one,
    transpose,
    unpermute_keys,
    unpermute_queries,
)

_NAME = re.compile(r"(?:blk\.(?P<layer>\d+)\.)?(?P<stem>\w+)\.(?P<kind>weight|bias)")
# Not weights: they hold what a configuration says about rotary embeddings.
_ROPE_STEMS = ("rope_freqs", "rope_factors_long", "rope_factors_short", "attn_rot_embd")


@dataclass(frozen=True, slots=True)
class Family:
    """Names of a family's tensors, without `.weight` and `.bias`.

    Attributes:
        top: GGUF name to Hugging Face name outside the layers.
        layer: GGUF name after `blk.N.` to Hugging Face name after `layers` and the number.
        layers: what stands before a layer's number in Hugging Face names.
        layouts: what must be undone, by GGUF name.
    """

    top: Mapping[str, str]
    layer: Mapping[str, str]
    layers: str = "model.layers"
    layouts: Mapping[str, Layout] = field(default_factory=dict)

    def parameter(self, name: str) -> tuple[str, Layout | None] | None:
        """Translate a GGUF name: the parameter and what to undo; None for a tensor the family has not."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        layer, stem, kind = match["layer"], match["stem"], match["kind"]
        renamed = (self.top if layer is None else self.layer).get(stem)
        if renamed is None:
            return None
        prefix = "" if layer is None else f"{self.layers}.{layer}."
        layout = self.layouts.get(f"{stem}.{kind}") or self.layouts.get(stem)
        return f"{prefix}{renamed}.{kind}", layout


def is_rope_tensor(name: str) -> bool:
    """Whether a GGUF tensor parametrises rotary embeddings and is no weight."""
    match = _NAME.fullmatch(name)
    return match is not None and match["stem"] in _ROPE_STEMS


_TOP = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
_ATTENTION = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
}
_QK_NORMS = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
_MLP = {"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
_PRE_NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}
_POST_NORMS = {
    "post_attention_norm": "post_attention_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_SANDWICH_NORMS = {
    **_POST_NORMS,
    "attn_norm": "input_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
}
_PERMUTED = {"attn_q": unpermute_queries, "attn_k": unpermute_keys}
_OFFSET_NORMS = dict.fromkeys((*_SANDWICH_NORMS, *_QK_NORMS, "output_norm"), subtract_one)

_LLAMA = Family(_TOP, {**_ATTENTION, **_MLP, **_PRE_NORMS}, layouts=_PERMUTED)

# By `general.architecture`. Mistral's files say llama.
FAMILIES: Mapping[str, Family] = {
    "llama": _LLAMA,
    "smollm3": _LLAMA,
    "qwen2": Family(_TOP, {**_ATTENTION, **_MLP, **_PRE_NORMS}),
    "qwen3": Family(_TOP, {**_ATTENTION, **_QK_NORMS, **_MLP, **_PRE_NORMS}),
    "gemma": Family(_TOP, {**_ATTENTION, **_MLP, **_PRE_NORMS}, layouts=_OFFSET_NORMS),
    "gemma2": Family(_TOP, {**_ATTENTION, **_MLP, **_SANDWICH_NORMS}, layouts=_OFFSET_NORMS),
    "gemma3": Family(
        _TOP, {**_ATTENTION, **_QK_NORMS, **_MLP, **_SANDWICH_NORMS}, layouts=_OFFSET_NORMS
    ),
    "olmo2": Family(_TOP, {**_ATTENTION, **_QK_NORMS, **_MLP, **_POST_NORMS}),
    "phi3": Family(
        _TOP,
        {
            **_PRE_NORMS,
            "attn_qkv": "self_attn.qkv_proj",
            "attn_output": "self_attn.o_proj",
            "ffn_up": "mlp.gate_up_proj",
            "ffn_down": "mlp.down_proj",
        },
    ),
    "gpt2": Family(
        {
            "token_embd": "transformer.wte",
            "position_embd": "transformer.wpe",
            "output_norm": "transformer.ln_f",
            "output": "lm_head",
        },
        {
            "attn_norm": "ln_1",
            "attn_qkv": "attn.c_attn",
            "attn_output": "attn.c_proj",
            "ffn_norm": "ln_2",
            "ffn_up": "mlp.c_fc",
            "ffn_down": "mlp.c_proj",
        },
        layers="transformer.h",
        layouts=dict.fromkeys(
            ("attn_qkv.weight", "attn_output.weight", "ffn_up.weight", "ffn_down.weight"), transpose
        ),
    ),
    "gptneox": Family(
        {
            "token_embd": "gpt_neox.embed_in",
            "output_norm": "gpt_neox.final_layer_norm",
            "output": "lm_head",
        },
        {
            "attn_norm": "input_layernorm",
            "attn_qkv": "attention.query_key_value",
            "attn_output": "attention.dense",
            "ffn_norm": "post_attention_layernorm",
            "ffn_up": "mlp.dense_h_to_4h",
            "ffn_down": "mlp.dense_4h_to_h",
        },
        layers="gpt_neox.layers",
        layouts={"attn_qkv": interleave_heads},
    ),
}
