"""References of the tensor dialect: slices and padding."""

from typing import Any

import numpy as np

from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference
from octavo.interpret.tensor import mixed_sizes


def _window(op: Any, frame: Frame) -> tuple[slice, ...]:
    offsets = mixed_sizes(op.static_offsets, op.offsets, frame)
    sizes = mixed_sizes(op.static_sizes, op.sizes, frame)
    strides = mixed_sizes(op.static_strides, op.strides, frame)
    return tuple(
        slice(offset, offset + size * stride, stride)
        for offset, size, stride in zip(offsets, sizes, strides, strict=True)
    )


@reference("tensor.extract_slice")
def extract_slice(op: Any, frame: Frame) -> np.ndarray:
    """Cut a window out; the result may lack dimensions of static size 1."""
    kept = list(op.results[0].type.shape)
    window = frame[op.source][_window(op, frame)]
    shape: list[int] = []
    for static, size in zip(op.static_sizes, window.shape, strict=True):
        rest = kept[len(shape) :]
        if static != 1 or (rest and rest[0] == 1):
            shape.append(size)
    return window.reshape(shape)


@reference("tensor.insert_slice")
def insert_slice(op: Any, frame: Frame) -> np.ndarray:
    """Put a tensor into a window of another."""
    out = frame[op.dest].copy()
    window = out[_window(op, frame)]
    window[...] = frame[op.source].reshape(window.shape)
    return out


@reference("tensor.pad")
def pad(op: Any, frame: Frame) -> np.ndarray:
    """Put a tensor into a larger one, of which the region gives the other values by their index."""
    source = frame[op.source]
    low = mixed_sizes(op.static_low, op.low, frame)
    high = mixed_sizes(op.static_high, op.high, frame)
    shape = [sum(sizes) for sizes in zip(low, source.shape, high, strict=True)]
    [filling] = frame.run_block(op.region.blocks[0], np.ogrid[tuple(map(slice, shape))])
    out = np.broadcast_to(filling, shape).copy()
    out[
        tuple(slice(begin, begin + size) for begin, size in zip(low, source.shape, strict=True))
    ] = source
    return out
