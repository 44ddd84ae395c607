"""References of positions and rotary embedding."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from octavo.interpret.dtypes import as_f32, as_type_of
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference


@reference("llm.positions")
def positions(op: Any, frame: Frame) -> np.ndarray:
    """Count from each row's start; padding stands at 0."""
    steps = np.arange(frame[op.tokens].shape[1], dtype=np.int32)
    start, lens = frame[op.start][:, None], frame[op.lens][:, None]
    return np.where(steps < lens, start + steps, np.int32(0))


@reference("llm.rope_table")
def rope_table(op: Any, frame: Frame) -> Sequence[np.ndarray]:
    """Cosine and sine of position times frequency."""
    angles = as_f32(frame[op.positions])[..., None] * frame[op.inv_freq]
    scaling = np.float32(op.scaling.value)
    return scaling * np.cos(angles), scaling * np.sin(angles)


@reference("llm.rope")
def rope(op: Any, frame: Frame) -> np.ndarray:
    """Rotate pairs of the first 2r values of each head, and leave the rest."""
    x = as_f32(frame[op.x])
    cos, sin = frame[op.cos][:, :, None, :], frame[op.sin][:, :, None, :]
    r = cos.shape[-1]
    neox = op.style.value == "neox"
    first, second = (
        (slice(0, r), slice(r, 2 * r)) if neox else (slice(0, 2 * r, 2), slice(1, 2 * r, 2))
    )
    out = x.copy()
    out[..., first] = x[..., first] * cos - x[..., second] * sin
    out[..., second] = x[..., second] * cos + x[..., first] * sin
    return as_type_of(out, op.out)
