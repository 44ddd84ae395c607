"""References of the tensor dialect: making, reading and reshaping."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from octavo.dialects.llm.shapes import DYNAMIC
from octavo.interpret.dtypes import dtype_of
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference
from octavo.mlir import ir


def mixed_sizes(static: Sequence[int], dynamic: Sequence[ir.Value], frame: Frame) -> list[int]:
    """Sizes of which some are constants and the others, marked `DYNAMIC`, are operands in order."""
    values = iter(dynamic)
    return [int(frame[next(values)]) if size == DYNAMIC else size for size in static]


@reference("tensor.empty")
def empty(op: Any, frame: Frame) -> np.ndarray:
    """Nothing in particular: NaN where the type has it, so that a result made from it shows."""
    kind = op.results[0].type
    dtype = dtype_of(kind)
    blank = 0 if dtype.kind in "bi" else np.nan
    return np.full(mixed_sizes(kind.shape, op.dynamicSizes, frame), blank, dtype)


@reference("tensor.splat")
def splat(op: Any, frame: Frame) -> np.ndarray:
    """One value everywhere."""
    return np.full(mixed_sizes(op.results[0].type.shape, op.dynamicSizes, frame), frame[op.input])


@reference("tensor.from_elements")
def from_elements(op: Any, frame: Frame) -> np.ndarray:
    """A tensor of scalars, in row-major order."""
    kind = op.results[0].type
    return np.array([frame[value] for value in op.elements], dtype_of(kind)).reshape(kind.shape)


@reference("tensor.dim")
def dim(op: Any, frame: Frame) -> np.ndarray:
    """The size of one dimension."""
    return np.asarray(frame[op.source].shape[int(frame[op.index])])


@reference("tensor.extract")
def extract(op: Any, frame: Frame) -> np.ndarray:
    """One element, or one for each point of a linalg body."""
    return np.asarray(frame[op.tensor][tuple(frame[index] for index in op.indices)])


@reference("tensor.cast")
def cast(op: Any, frame: Frame) -> np.ndarray:
    """The same tensor, more or less of its shape known."""
    return frame[op.source]


@reference("tensor.expand_shape")
def expand_shape(op: Any, frame: Frame) -> np.ndarray:
    """Split dimensions."""
    return frame[op.src].reshape(mixed_sizes(op.static_output_shape, op.output_shape, frame))


@reference("tensor.collapse_shape")
def collapse_shape(op: Any, frame: Frame) -> np.ndarray:
    """Merge neighbouring dimensions."""
    source = frame[op.src]
    groups = [[source.shape[index.value] for index in group] for group in op.reassociation]
    return source.reshape([int(np.prod(group)) for group in groups])


@reference("tensor.reshape")
def reshape(op: Any, frame: Frame) -> np.ndarray:
    """Give the shape that an operand holds."""
    return frame[op.source].reshape(frame[op.shape])


@reference("tensor.concat")
def concat(op: Any, frame: Frame) -> np.ndarray:
    """Join along one dimension."""
    return np.concatenate([frame[value] for value in op.inputs], axis=op.dim.value)
