"""Attention as one torch operation a layer.

Hugging Face models ask an interface for their attention. Answering with one opaque operation keeps scale,
window and softcap as the model's author passed them, and no mask code enters the graph.
"""

from typing import Any

import torch
from transformers import AttentionInterface

from octavo.errors import CaptureError

_NOT_COMPUTING = {
    "position_ids",
    "use_cache",
    "dropout",
    "is_causal",
    "output_attentions",
    "output_router_logits",
}
_MAX_WINDOW = 2**31 - 1
INTERFACE_NAME = "octavo"
OPERATOR_NAME = "torch.octavo.attention"  # how the importer spells it

_LIBRARY = torch.library.Library("octavo", "FRAGMENT")
_LIBRARY.define(
    "attention(Tensor q, Tensor k, Tensor v, *, "
    "float scale, bool causal, int? window, float? softcap) -> Tensor"
)


def _attention_shape(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    scale: float,
    causal: bool,
    window: int | None,
    softcap: float | None,
) -> torch.Tensor:
    return q.new_empty((*q.shape[:3], v.shape[3]))


torch.library.register_fake("octavo::attention", _attention_shape, lib=_LIBRARY)


def _attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    softcap: float | None = None,
    sliding_window: int | None = None,
    **others: Any,
) -> tuple[torch.Tensor, None]:
    """Answer transformers' attention interface: `[b, heads, t, d]` in, `[b, t, heads, d]` out.

    Raises:
        CaptureError: the model passes something else that its attention depends on, such as sinks.
    """
    unknown = sorted(set(others) - _NOT_COMPUTING)
    if unknown := [name for name in unknown if others[name] is not None]:
        raise CaptureError(
            f"{type(module).__name__} passes '{unknown[0]}' to its attention, which 'llm.attention' does not "
            "have: the model cannot be compiled yet."
        )
    if sliding_window is not None and sliding_window > _MAX_WINDOW:
        sliding_window = None  # no sequence is that long
    scale = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    result = torch.ops.octavo.attention(
        query.transpose(1, 2),
        key.transpose(1, 2),
        value.transpose(1, 2),
        scale=scale,
        causal=bool(getattr(module, "is_causal", True)),
        window=sliding_window,
        softcap=softcap,
    )
    return result, None


AttentionInterface.register(INTERFACE_NAME, _attention)
