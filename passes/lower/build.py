"""Builders of tensor code that the lowerings share.

A size is an `int`, or an `index` value where it is known only at run time. Axes are letters, as in einsum:
`generic("mnk", [(x, "mk"), (w, "nk")], zeros, "mn", body)` is a product. An axis that the output lacks is
reduced; the axis `0` of an input always reads its first entry, which broadcasts a size of 1.
"""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import TypeAlias

from octavo.mlir import arith, ir, linalg, tensor

Size: TypeAlias = int | ir.Value
Body: TypeAlias = Callable[..., ir.Value]

DYNAMIC = ir.ShapedType.get_dynamic_size()


def index(size: Size) -> ir.Value:
    """`size` as an `index` value."""
    return arith.constant(ir.IndexType.get(), size) if isinstance(size, int) else size


def size_of(value: ir.Value, axis: int) -> Size:
    """Size of one axis of a tensor."""
    size: int = value.type.shape[axis]
    return tensor.dim(value, index(axis)) if size == DYNAMIC else size


def sizes_of(value: ir.Value) -> list[Size]:
    """Sizes of a tensor."""
    return [size_of(value, axis) for axis in range(value.type.rank)]


def product(sizes: Iterable[Size]) -> Size:
    """Product of sizes; an `int` when all of them are."""
    result: Size = 1
    for size in sorted(sizes, key=lambda each: not isinstance(each, int)):
        if isinstance(result, int) and isinstance(size, int):
            result *= size
        else:
            result = size if result == 1 else arith.muli(index(result), index(size))
    return result


def tensor_type(sizes: Iterable[Size], element: ir.Type) -> ir.RankedTensorType:
    """The type of a tensor of these sizes."""
    shape = [size if isinstance(size, int) else DYNAMIC for size in sizes]
    return ir.RankedTensorType.get(shape, element)


def filled(sizes: Sequence[Size], value: ir.Value) -> ir.Value:
    """A tensor that holds the scalar `value` everywhere."""
    return linalg.fill(value, outs=[tensor.empty(sizes, value.type)])


def generic(
    axes: str, inputs: Sequence[tuple[ir.Value, str]], init: ir.Value, out: str, body: Body
) -> ir.Value:
    """A `linalg.generic` with one output.

    Args:
        axes: the loops, outermost first.
        inputs: tensors, each with the axes it is read along.
        init: what the output starts from.
        out: axes of the output.
        body: from a scalar of each input, and the output's current one, to the output's next.
    """
    maps = [_indexing(axes, each) for each in (*(read for _, read in inputs), out)]
    kind = linalg.IteratorType
    loops = [kind.parallel if axis in out else kind.reduction for axis in axes]
    values = [value for value, _ in inputs]
    op = linalg.GenericOp([init.type], values, [init], ir.ArrayAttr.get(maps), loops)
    block = op.regions[0].blocks.append(*(value.type.element_type for value in (*values, init)))
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(*block.arguments)])
    return op.results[0]


def _indexing(axes: str, read: str) -> ir.AffineMapAttr:
    results = [
        ir.AffineConstantExpr.get(0) if axis == "0" else ir.AffineDimExpr.get(axes.index(axis))
        for axis in read
    ]
    return ir.AffineMapAttr.get(ir.AffineMap.get(len(axes), 0, results))


def parallel(
    axes: str,
    inputs: Sequence[tuple[ir.Value, str]],
    sizes: Sequence[Size],
    element: ir.Type,
    body: Body,
) -> ir.Value:
    """A tensor of `sizes` computed entry by entry: `generic` without a reduction."""
    init = tensor.empty(sizes, element)
    return generic(axes, inputs, init, axes, lambda *scalars: body(*scalars[:-1]))


def elementwise(inputs: Sequence[ir.Value], element: ir.Type, body: Body) -> ir.Value:
    """Apply `body` to the entries of tensors of one shape."""
    axes = axes_of(inputs[0])
    return parallel(axes, [(value, axes) for value in inputs], sizes_of(inputs[0]), element, body)


def axes_of(value: ir.Value) -> str:
    """A letter for each axis of a tensor."""
    return "abcdefghij"[: value.type.rank]


def collapse(value: ir.Value, groups: Sequence[Sequence[int]]) -> ir.Value:
    """Merge neighbouring axes of a tensor, group by group."""
    shape = value.type.shape
    merged = [
        DYNAMIC if DYNAMIC in sizes else prod(sizes)
        for sizes in ([shape[axis] for axis in group] for group in groups)
    ]
    result = ir.RankedTensorType.get(merged, value.type.element_type)
    return tensor.collapse_shape(result, value, _reassociation(groups))


def expand(value: ir.Value, groups: Sequence[Sequence[int]], sizes: Sequence[Size]) -> ir.Value:
    """Split axes of a tensor: axis i becomes the axes `groups[i]` of the result, which has `sizes`."""
    result = tensor_type(sizes, value.type.element_type)
    dynamic = [size for size in sizes if not isinstance(size, int)]
    return tensor.expand_shape(result, value, _reassociation(groups), dynamic, result.shape)


def with_front(value: ir.Value, part: ir.Value) -> ir.Value:
    """`value` with its first entries along each axis, as many as `part` has, replaced by `part`."""
    dynamic = [size for size in sizes_of(part) if not isinstance(size, int)]
    rank = part.type.rank
    return tensor.insert_slice(
        part, value, [], dynamic, [], [0] * rank, list(part.type.shape), [1] * rank
    )


def _reassociation(groups: Sequence[Sequence[int]]) -> ir.ArrayAttr:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get(
        [ir.ArrayAttr.get([ir.IntegerAttr.get(i64, axis) for axis in group]) for group in groups]
    )


def fitted(value: ir.Value, wanted: ir.Type) -> ir.Value:
    """`value` as type `wanted`, which may know more or fewer of its sizes."""
    return value if value.type == wanted else tensor.cast(wanted, value)
