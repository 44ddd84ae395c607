"""Passes of the phase 'lower': from `llm` to what IREE compiles for every target."""

from octavo.passes.lower import (  # noqa: F401  (importing a pass registers it)
    check_lowered,
    lower_activation,
    lower_attention,
    lower_embedding,
    lower_kv_state,
    lower_kv_write,
    lower_linear,
    lower_norm,
    lower_paged_attention,
    lower_rope,
    lower_weights,
)
