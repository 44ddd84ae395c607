"""References of the norms."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from octavo.interpret.dtypes import as_f32, as_type_of
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference


def _rms_norm(x: np.ndarray, op: Any, frame: Frame) -> np.ndarray:
    wide = as_f32(x)
    mean_square = np.mean(wide * wide, axis=-1, keepdims=True)
    scale = np.float32(op.weight_offset.value) + as_f32(frame[op.weight])
    return as_type_of(wide / np.sqrt(mean_square + np.float32(op.eps.value)) * scale, op.out)


@reference("llm.rms_norm")
def rms_norm(op: Any, frame: Frame) -> np.ndarray:
    """Divide by the root mean square."""
    return _rms_norm(frame[op.x], op, frame)


@reference("llm.add_rms_norm")
def add_rms_norm(op: Any, frame: Frame) -> Sequence[np.ndarray]:
    """Add, round to the element type, and norm what was rounded: what the two separate ops would do."""
    total = as_type_of(as_f32(frame[op.x]) + as_f32(frame[op.residual]), op.sum)
    return total, _rms_norm(total, op, frame)


@reference("llm.layer_norm")
def layer_norm(op: Any, frame: Frame) -> np.ndarray:
    """Subtract the mean, divide by the deviation, scale and shift."""
    x = as_f32(frame[op.x])
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    out = centred / np.sqrt(variance + np.float32(op.eps.value))
    weight, bias = frame.find(op.weight), frame.find(op.bias)
    if weight is not None:
        out = out * as_f32(weight)
    if bias is not None:
        out = out + as_f32(bias)
    return as_type_of(out, op.out)
