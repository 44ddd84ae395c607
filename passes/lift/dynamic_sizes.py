"""Which dynamic size is which: in the types of tensors they all look alike.

A dynamic size is labelled by the axis of the function's inputs that it comes from. Inputs that share a size
are expected to have it at the same axis, as tokens and positions `[b, t]` do. Labels are negative, so sizes
and labels stand in one list.
"""

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any

from octavo.mlir import ir
from octavo.passes.match import (
    OWN_ATTENTION,
    NoMatch,
    builtin_type,
    constant,
    constants,
    definer,
    elements,
    is_torch_tensor,
    match_if,
)
from octavo.passes.tensor_ops import DYNAMIC

VIEWS = ("torch.aten.view", "torch.aten.reshape", "torch.aten._unsafe_view")

_Place = tuple[ir.Value, int]  # an axis of a tensor


def sizes(value: ir.Value) -> list[int]:
    """Sizes of a tensor, torch's or builtin: a number, or the label of a dynamic size.

    Raises:
        NoMatch: a dynamic size does not come from an input.
    """
    shape = _shape(value)
    return [_label(value, axis) if size == DYNAMIC else size for axis, size in enumerate(shape)]


def view_sizes(view: Any) -> list[int | None]:
    """Sizes that a view asks for; None for one that it leaves open and that is not simply a source's axis.

    Raises:
        NoMatch: a dynamic size does not come from an input, or several are open.
    """
    shape = _shape(view.results[0])
    wanted = [
        _wanted(value) if size == DYNAMIC else size
        for size, value in zip(shape, elements(view.operands[1]), strict=True)
    ]
    if None not in wanted:
        return wanted
    match_if(wanted.count(None) == 1)
    return [_remaining(view, wanted) if size is None else size for size in wanted]


def _wanted(value: ir.Value) -> int | None:
    owner = definer(value)
    if owner.name != "torch.aten.size.int":
        return None
    return _label(owner.operands[0], constant(owner.operands[1]))


def _remaining(view: Any, wanted: list[int | None]) -> int | None:
    """The source's one dynamic size that `wanted` does not name, if nothing is merged with it."""
    source = sizes(view.operands[0])
    named = [size for size in wanted if size is not None]
    missing = list(
        (Counter(filter(_is_label, source)) - Counter(filter(_is_label, named))).elements()
    )
    is_whole = _static_product(source) == _static_product(named)
    return missing[0] if len(missing) == 1 and is_whole else None


def _is_label(size: int) -> bool:
    return size < 0


def _static_product(shape: list[int]) -> int:
    return prod(size for size in shape if not _is_label(size))


def _shape(value: ir.Value) -> list[int]:
    kind = value.type
    if not isinstance(kind, ir.RankedTensorType):
        kind = builtin_type(kind)
    return list(kind.shape)


def _label(value: ir.Value, axis: int) -> int:
    """Follow an axis back to the input it comes from."""
    axis %= len(_shape(value))
    while not isinstance(value.owner, ir.Block):
        op = definer(value)
        find_source = _SOURCES.get(op.name) or _of_aligned_operand
        value, axis = find_source(op, axis)
    return -1 - axis


def _of_aligned_operand(op: ir.Operation, axis: int) -> _Place:
    """Element-wise and row-wise operations: the first operand that brings a dynamic size at this axis."""
    match_if(op.name.startswith(_ALIGNED_DIALECTS) or op.name in _ALIGNED)
    rank = len(_shape(op.results[0]))
    for operand in op.operands:
        if not (isinstance(operand.type, ir.RankedTensorType) or is_torch_tensor(operand.type)):
            continue
        shape = _shape(operand)
        place = axis + len(shape) - rank
        if place >= 0 and shape[place] == DYNAMIC:
            return operand, place
    raise NoMatch


def _of_view(op: ir.Operation, axis: int) -> _Place:
    size = definer(elements(op.operands[1])[axis])
    if size.name == "torch.aten.size.int":
        source = size.operands[0]
        return source, constant(size.operands[1]) % len(_shape(source))
    label = view_sizes(op)[axis]
    source = sizes(op.operands[0])
    if label is None or label not in source:
        raise NoMatch
    return op.operands[0], source.index(label)


def _of_transpose(op: ir.Operation, axis: int) -> _Place:
    rank = len(_shape(op.operands[0]))
    first, second = (constant(each) % rank for each in op.operands[1:3])
    return op.operands[0], {first: second, second: first}.get(axis, axis)


def _of_permute(op: ir.Operation, axis: int) -> _Place:
    permutation = constants(op.operands[1])
    return op.operands[0], permutation[axis] % len(permutation)


def _of_builtin_transpose(op: ir.Operation, axis: int) -> _Place:
    return op.operands[0], ir.DenseI64ArrayAttr(op.attributes["permutation"])[axis]


def _of_unsqueeze(op: ir.Operation, axis: int) -> _Place:
    inserted = constant(op.operands[1]) % len(_shape(op.results[0]))
    return op.operands[0], axis - (axis > inserted)


def _of_slice(op: ir.Operation, axis: int) -> _Place:
    match_if(constant(op.operands[1]) % len(_shape(op.results[0])) != axis)
    return op.operands[0], axis


def _of_cat(op: ir.Operation, axis: int) -> _Place:
    match_if(constant(op.operands[1]) % len(_shape(op.results[0])) != axis)
    return elements(op.operands[0])[0], axis


def _of_split(op: ir.Operation, axis: int) -> _Place:
    split = definer(op.operands[0])
    source = split.operands[0]
    match_if(constant(split.operands[2]) % len(_shape(source)) != axis)
    return source, axis


def _of_lookup(op: ir.Operation, axis: int) -> _Place:
    return op.operands[1], axis


def _of_first(op: ir.Operation, axis: int) -> _Place:
    return op.operands[0], axis


def _of_operator(op: ir.Operation, axis: int) -> _Place:
    match_if(ir.StringAttr(op.attributes["name"]).value == OWN_ATTENTION)
    return op.operands[0], axis


def _groups(op: ir.Operation) -> list[list[int]]:
    return [[axis.value for axis in group] for group in op.attributes["reassociation"]]


def _of_expand_shape(op: ir.Operation, axis: int) -> _Place:
    return op.operands[0], next(i for i, group in enumerate(_groups(op)) if axis in group)


def _of_collapse_shape(op: ir.Operation, axis: int) -> _Place:
    shape = _shape(op.operands[0])
    dynamic = [each for each in _groups(op)[axis] if shape[each] == DYNAMIC]
    match_if(len(dynamic) == 1 and prod(shape[each] for each in _groups(op)[axis]) == DYNAMIC)
    return op.operands[0], dynamic[0]


# Operations whose result has its axes elsewhere than the operand they come from.
_SOURCES: dict[str, Callable[[ir.Operation, int], _Place]] = {
    **dict.fromkeys(VIEWS, _of_view),
    "torch.aten.transpose.int": _of_transpose,
    "torch.aten.permute": _of_permute,
    "torch.aten.unsqueeze": _of_unsqueeze,
    "torch.aten.slice.Tensor": _of_slice,
    "torch.aten.cat": _of_cat,
    "torch.aten.embedding": _of_lookup,
    "torch.operator": _of_operator,
    "torch.prim.ListUnpack": _of_split,
    "llm.embedding": _of_lookup,
    "llm.rope_table": _of_first,
    "linalg.transpose": _of_builtin_transpose,
    "tensor.expand_shape": _of_expand_shape,
    "tensor.collapse_shape": _of_collapse_shape,
}

# Operations whose axes are those of their operands, aligned at the last; anything else may move them.
_ALIGNED_DIALECTS = ("llm.", "arith.", "torch_c.")
_CASTS = (
    "_to_copy",
    "alias",
    "clone",
    "contiguous",
    "detach",
    "to.device",
    "to.dtype",
    "to.dtype_layout",
)
_SUMS = (
    "add.Scalar",
    "add.Tensor",
    "sub.Scalar",
    "sub.Tensor",
    "neg",
    "dropout",
    "type_as",
    "expand",
)
_PRODUCTS = ("div.Scalar", "div.Tensor", "linear", "mul.Scalar", "mul.Tensor", "pow.Tensor_Scalar")
_CURVES = ("cos", "gelu", "relu", "rsqrt", "sigmoid", "silu", "sin", "tanh")
_LAYERS = ("layer_norm", "rms_norm", "scaled_dot_product_attention")
_ALIGNED = frozenset(
    (
        "tensor.extract_slice",
        *(f"torch.aten.{name}" for name in (*_CASTS, *_SUMS, *_PRODUCTS, *_CURVES, *_LAYERS)),
    )
)
