"""References of the linalg dialect: its operations are loops, each with a body in its region.

A body runs on all parallel points at once, and in order over the points of the reductions.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from octavo.errors import OctavoError
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference
from octavo.mlir import ir, linalg


@reference("linalg.fill")
def fill(op: Any, frame: Frame) -> np.ndarray:
    """One value everywhere."""
    out = frame[op.outputs[0]]
    return np.full(out.shape, frame[op.inputs[0]], out.dtype)


@reference("linalg.transpose")
def transpose(op: Any, frame: Frame) -> np.ndarray:
    """Permute the dimensions."""
    return np.transpose(frame[op.input], list(op.permutation))


@reference("linalg.index")
def index(op: Any, frame: Frame) -> np.ndarray:
    """The index of one iteration dimension."""
    return frame.point[int(op.dim.value)]


@reference("linalg.generic")
def generic(op: Any, frame: Frame) -> Sequence[np.ndarray]:
    """Run the body over the iteration space."""
    maps = [attribute.value for attribute in op.indexing_maps]
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    return _run_loops(op, frame, maps, [kind == parallel for kind in op.iterator_types])


def named(op: Any, frame: Frame) -> Sequence[np.ndarray]:
    """Run an operation that has loops and a body by its name, such as `linalg.matmul`.

    Raises:
        OctavoError: it is no loop over its operands.
    """
    maps = linalg.get_indexing_maps(op)
    if maps is None:
        raise OctavoError("expected an operation with indexing maps")
    maps = [getattr(each, "value", each) for each in maps]
    written = {
        result.position
        for each in maps[-len(op.results) :]
        for result in each.results
        if isinstance(result, ir.AffineDimExpr)
    }
    return _run_loops(op, frame, maps, [axis in written for axis in range(maps[0].n_dims)])


def _run_loops(
    op: Any, frame: Frame, maps: Sequence[ir.AffineMap], is_parallel: Sequence[bool]
) -> Sequence[np.ndarray]:
    operands = [frame[value] for value in op.operands]
    num_inputs = len(operands) - len(op.results)
    inputs, outputs = operands[:num_inputs], [each.copy() for each in operands[num_inputs:]]
    extent = _extent(maps, operands)
    steps = [range(size) for size, whole in zip(extent, is_parallel, strict=True) if not whole]

    outer_point = frame.point
    for step in np.ndindex(*map(len, steps)):
        frame.point = _point(extent, is_parallel, step)
        _run_body(op.regions[0].blocks[0], frame, maps, inputs, outputs)
    frame.point = outer_point
    return outputs


# What has a reference of its own, or no loops: those of Winograd's form, and changes of layout.
_NOT_NAMED = {
    f"linalg.{name}"
    for name in ("fill", "transpose", "index", "generic", "yield", "pack", "unpack", "softmax")
}

for _name in {str(getattr(each, "OPERATION_NAME", "")) for each in vars(linalg).values()}:
    if _name.startswith("linalg.") and _name not in _NOT_NAMED and "winograd" not in _name:
        reference(_name)(named)


def _run_body(
    block: ir.Block,
    frame: Frame,
    maps: Sequence[ir.AffineMap],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
) -> None:
    places = [tuple(_affine(result, frame.point) for result in each.results) for each in maps]
    arrays = [
        np.asarray(array[place]) for array, place in zip([*inputs, *outputs], places, strict=True)
    ]
    yielded = frame.run_block(block, arrays)
    for output, place, value in zip(outputs, places[len(inputs) :], yielded, strict=True):
        output[place] = value


def _point(
    extent: Sequence[int], is_parallel: Sequence[bool], step: Sequence[int]
) -> list[np.ndarray]:
    """The index of each dimension: all of a parallel one, along an axis of its own; one of a reduction."""
    steps = iter(step)
    rank = sum(is_parallel)
    axis = 0
    point = []
    for size, whole in zip(extent, is_parallel, strict=True):
        if whole:
            point.append(
                np.arange(size).reshape([-1 if each == axis else 1 for each in range(rank)])
            )
            axis += 1
        else:
            point.append(np.asarray(next(steps)))
    return point


def _extent(maps: Sequence[ir.AffineMap], arrays: Sequence[np.ndarray]) -> list[int]:
    """Size of each iteration dimension, from the operand whose map names it alone."""
    extent = [-1] * maps[0].n_dims
    for each, array in zip(maps, arrays, strict=True):
        for result, size in zip(each.results, array.shape, strict=True):
            if isinstance(result, ir.AffineDimExpr):
                known = extent[result.position]
                if known not in (-1, size):
                    raise OctavoError(
                        f"operands give d{result.position} the sizes {known} and {size}"
                    )
                extent[result.position] = size
    if -1 in extent:
        raise OctavoError(f"no operand gives the size of d{extent.index(-1)}")
    return extent


_BINARY: dict[type, Callable[[np.ndarray, np.ndarray], Any]] = {
    ir.AffineAddExpr: np.add,
    ir.AffineMulExpr: np.multiply,
    ir.AffineModExpr: np.mod,
    ir.AffineFloorDivExpr: np.floor_divide,
    ir.AffineCeilDivExpr: lambda a, b: -(-a // b),
}


def _affine(expression: ir.AffineExpr, point: Sequence[np.ndarray]) -> np.ndarray:
    if isinstance(expression, ir.AffineDimExpr):
        return point[int(expression.position)]
    if isinstance(expression, ir.AffineConstantExpr):
        return np.asarray(expression.value)
    combine = _BINARY[type(expression)]
    return np.asarray(combine(_affine(expression.lhs, point), _affine(expression.rhs, point)))
