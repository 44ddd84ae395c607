"""Builders for the shape operations that passes emit."""

from collections.abc import Sequence

from octavo.mlir import arith, ir, linalg, tensor

DYNAMIC = ir.ShapedType.get_dynamic_size()


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


def reassociation(long: Sequence[int], short: Sequence[int]) -> list[list[int]] | None:
    """Group axes of `long` so that each group's product is an axis of `short`; None where impossible.

    A dynamic axis of `short` takes one dynamic axis of `long`; where `long` has more of them, the first takes
    the spare ones that follow it.
    """
    spare = list(long).count(DYNAMIC) - list(short).count(DYNAMIC)
    groups: list[list[int]] = []
    axis = 0
    for size in short:
        length = _dynamic_run(long, axis, spare) if size == DYNAMIC else _static_run(long, axis, size)
        if length is None:
            return None
        if size == DYNAMIC:
            spare -= length - 1
        groups.append(list(range(axis, axis + length)))
        axis += length
    while groups and axis < len(long) and long[axis] == 1:
        groups[-1].append(axis)
        axis += 1
    return groups if axis == len(long) else None


def _dynamic_run(long: Sequence[int], axis: int, spare: int) -> int | None:
    """Length of the run of dynamic axes from `axis`, at most `1 + spare`."""
    length = 0
    while axis + length < len(long) and long[axis + length] == DYNAMIC and length <= spare:
        length += 1
    return length or None


def _static_run(long: Sequence[int], axis: int, size: int) -> int | None:
    """Length of the run of static axes from `axis` whose product is `size`."""
    product = 1
    for length, current in enumerate(long[axis:], start=1):
        if current == DYNAMIC:
            return None
        product *= current
        if product == size:
            return length
    return None


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
