"""Builders for the casts and shape operations that passes emit."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from octavo.mlir import arith, ir, linalg, tensor

DYNAMIC: int = ir.ShapedType.get_dynamic_size()


def index_constant(value: int) -> ir.Value:
    """`value : index`."""
    return arith.ConstantOp(ir.IndexType.get(), value).result


def dim(value: ir.Value, axis: int) -> ir.Value:
    """Size of an axis as an index value: a constant where it is static."""
    size = value.type.shape[axis]
    if size != DYNAMIC:
        return index_constant(size)
    return tensor.DimOp(value, index_constant(axis)).result


def dynamic_dims(value: ir.Value) -> list[ir.Value]:
    """Sizes of the dynamic axes, in order."""
    return [dim(value, axis) for axis, size in enumerate(value.type.shape) if size == DYNAMIC]


def empty(type_: ir.RankedTensorType, dynamic_sizes: Sequence[ir.Value]) -> ir.Value:
    """An uninitialised tensor of `type_`; `dynamic_sizes` in the order of its dynamic axes."""
    remaining = iter(dynamic_sizes)
    sizes = [next(remaining) if size == DYNAMIC else size for size in type_.shape]
    return tensor.EmptyOp(sizes, type_.element_type).result


def transpose(value: ir.Value, permutation: Sequence[int]) -> ir.Value:
    """Permute axes: result axis i is axis `permutation[i]`."""
    old = value.type
    new = ir.RankedTensorType.get([old.shape[axis] for axis in permutation], old.element_type)
    sizes = [dim(value, axis) for axis in permutation if old.shape[axis] == DYNAMIC]
    op = linalg.TransposeOp(
        result=[new], input=value, init=empty(new, sizes), permutation=list(permutation)
    )
    linalg.fill_builtin_region(op.operation)
    return op.results[0]


def swap_axes(value: ir.Value, first: int, second: int) -> ir.Value:
    """Exchange two axes."""
    permutation = list(range(value.type.rank))
    permutation[first], permutation[second] = permutation[second], permutation[first]
    return transpose(value, permutation)


def cast_float(value: ir.Value, element_type: ir.Type) -> ir.Value:
    """A tensor of floats widened or rounded to another width of element; itself where it has it."""
    if value.type.element_type == element_type:
        return value
    type_ = ir.RankedTensorType.get(list(value.type.shape), element_type)
    is_wider = value.type.element_type.width < element_type.width
    build = arith.ExtFOp if is_wider else arith.TruncFOp
    return build(type_, value).result


def reassociation(long: Sequence[int], short: Sequence[int | None]) -> list[list[int]] | None:
    """Group axes of `long` so that each group's product is an axis of `short`; None where impossible.

    A negative size is the label of a dynamic one, which only the same label equals. A None in `short` takes
    what the other axes leave.
    """
    lengths = _run_lengths(long, short)
    if lengths is None:
        return None
    ends = list(accumulate(lengths))
    return [list(range(end - length, end)) for end, length in zip(ends, lengths, strict=True)]


def _run_lengths(long: Sequence[int], short: Sequence[int | None]) -> list[int] | None:
    if not short:
        return None if long else []
    for length in _fitting_lengths(long, short[0]):
        rest = _run_lengths(long[length:], short[1:])
        if rest is not None:
            return [length, *rest]
    return None


def _fitting_lengths(long: Sequence[int], size: int | None) -> Iterator[int]:
    """Lengths of the runs from the front of `long` whose product is `size`."""
    product, labels = 1, list[int]()
    for length, current in enumerate(long, start=1):
        if current < 0:
            labels.append(current)
        else:
            product *= current
        if size is None or (product, labels) == ((1, [size]) if size < 0 else (size, [])):
            yield length


def _groups_attr(groups: Sequence[Sequence[int]]) -> ir.ArrayAttr:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get(
        [ir.ArrayAttr.get([ir.IntegerAttr.get(i64, axis) for axis in group]) for group in groups]
    )


def collapse(value: ir.Value, shape: Sequence[int], groups: Sequence[Sequence[int]]) -> ir.Value:
    """Merge each group of axes into one."""
    type_ = ir.RankedTensorType.get(list(shape), value.type.element_type)
    return tensor.CollapseShapeOp(type_, value, _groups_attr(groups)).result


def expand(
    value: ir.Value,
    shape: Sequence[int],
    groups: Sequence[Sequence[int]],
    dynamic_sizes: Sequence[ir.Value],
) -> ir.Value:
    """Split each axis into a group; `dynamic_sizes` in the order of `shape`'s dynamic axes."""
    type_ = ir.RankedTensorType.get(list(shape), value.type.element_type)
    sizes = ir.DenseI64ArrayAttr.get(list(shape))
    return tensor.ExpandShapeOp(type_, value, _groups_attr(groups), dynamic_sizes, sizes).result


def extract_slice(value: ir.Value, axis: int, offset: int, size: int) -> ir.Value:
    """`size` elements from `offset` of a static axis, all of every other axis."""
    shape = list(value.type.shape)
    shape[axis] = size
    rank = len(shape)
    type_ = ir.RankedTensorType.get(shape, value.type.element_type)
    offsets = [offset if each == axis else 0 for each in range(rank)]
    return tensor.ExtractSliceOp(
        type_,
        value,
        [],
        dynamic_dims_except(value, axis),
        [],
        ir.DenseI64ArrayAttr.get(offsets),
        ir.DenseI64ArrayAttr.get(shape),
        ir.DenseI64ArrayAttr.get([1] * rank),
    ).result


def dynamic_dims_except(value: ir.Value, axis: int) -> list[ir.Value]:
    """Sizes of the dynamic axes other than `axis`."""
    shape = value.type.shape
    return [dim(value, each) for each, size in enumerate(shape) if size == DYNAMIC and each != axis]
