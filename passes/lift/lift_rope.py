"""lift-rope: rotary embeddings as `llm.rope_table` and `llm.rope`."""

from dataclasses import dataclass
from typing import Any

from octavo.dialects.llm import RopeOp, RopeTableOp
from octavo.dialects.llm.attributes import float_attr
from octavo.mlir import arith, ir
from octavo.passes.match import (
    Slice,
    builtin_type,
    constant,
    definer,
    either_order,
    elements,
    erase_unread,
    match_if,
    match_slice,
    number,
    pattern,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import cast_float, swap_axes

_TABLE_STEPS = ("torch.aten.unsqueeze", "torch.aten.to.dtype", "torch.aten.mul.Scalar")
_RANK = 4  # of what is rotated: [b, heads, t, d] or [b, t, heads, d]


@dataclass(frozen=True, slots=True)
class _Angles:
    """What a table of cosines or sines is made from."""

    positions: ir.Value
    inv_freq: ir.Value
    scaling: float
    heads_axis: int


@dataclass(frozen=True, slots=True)
class _Rotation:
    """A matched rotation of `x`: `x cos + rotate_half(x) sin`."""

    x: ir.Value
    angles: _Angles


def _match_rotation(op: Any) -> _Rotation:
    match_if(number(op.operands[2]) == 1)

    def match(straight: ir.Value, turned: ir.Value) -> _Rotation:
        first = definer(straight, "torch.aten.mul.Tensor")
        second = definer(turned, "torch.aten.mul.Tensor")

        def match_turned(half: ir.Value, sin: ir.Value) -> tuple[ir.Value, _Angles]:
            return _rotated_half(half), _match_table(sin, "torch.aten.sin")

        def match_straight(x: ir.Value, cos: ir.Value) -> tuple[ir.Value, _Angles]:
            return x, _match_table(cos, "torch.aten.cos")

        x, cos = either_order(match_straight, *first.operands)
        source, sin = either_order(match_turned, *second.operands)
        match_if(x == source and cos == sin)
        return _Rotation(x, cos)

    found: _Rotation = either_order(match, op.operands[0], op.operands[1])
    return found


def _rotated_half(value: ir.Value) -> ir.Value:
    """Match `cat(-x[..., r:], x[..., :r])` with 2r values; return x."""
    first, second = _concatenated_pair(definer(value, "torch.aten.cat"))
    upper = match_slice(definer(first, "torch.aten.neg").operands[0])
    lower = match_slice(second)
    head_dim = builtin_type(value.type).shape[-1]
    half = head_dim // 2
    last = builtin_type(value.type).rank - 1
    match_if(head_dim == 2 * half)
    match_if(lower == Slice(lower.source, last, 0, half))
    match_if(upper == Slice(lower.source, last, half, head_dim))
    return lower.source


def _concatenated_pair(concat: Any) -> list[ir.Value]:
    """The two parts of a concatenation along the last axis."""
    parts = elements(concat.operands[0])
    last = builtin_type(concat.results[0].type).rank - 1
    match_if(len(parts) == 2 and constant(concat.operands[1]) in (-1, last))
    return parts


def _match_table(value: ir.Value, function: str) -> _Angles:
    """Match `function(cat(f, f)) * scaling` with the heads' axis inserted; f is positions times inv_freq."""
    match_if(builtin_type(value.type).rank == _RANK)
    heads_axis, scaling = None, 1.0
    while (operation := definer(value)).name != function:
        match_if(operation.name in _TABLE_STEPS and _is_float(value))
        if operation.name == "torch.aten.unsqueeze":
            heads_axis = constant(operation.operands[1]) % _RANK
        if operation.name == "torch.aten.mul.Scalar":
            scaling *= number(operation.operands[1])
        value = operation.operands[0]
    angles = operation.operands[0]
    if heads_axis is None:
        inserted = definer(angles, "torch.aten.unsqueeze")
        heads_axis = constant(inserted.operands[1]) % _RANK
        angles = inserted.operands[0]
    first, second = _concatenated_pair(definer(angles, "torch.aten.cat"))
    match_if(first == second and builtin_type(first.type).element_type == ir.F32Type.get())
    product = definer(first, "torch.aten.mul.Tensor")
    positions, inv_freq = either_order(_match_angles, *product.operands)
    return _Angles(positions, inv_freq, scaling, heads_axis)


def _is_float(value: ir.Value) -> bool:
    return isinstance(builtin_type(value.type).element_type, ir.FloatType)


def _match_angles(positions: ir.Value, inv_freq: ir.Value) -> tuple[ir.Value, ir.Value]:
    f32 = ir.F32Type.get()
    match_if(
        builtin_type(inv_freq.type).rank == 1 and builtin_type(inv_freq.type).element_type == f32
    )
    match_if(builtin_type(positions.type).element_type == f32)
    column = definer(_through_cast(positions), "torch.aten.unsqueeze")
    source = _through_cast(column.operands[0])
    match_if(builtin_type(source.type).rank == 2 and constant(column.operands[1]) in (-1, 2))
    match_if(isinstance(builtin_type(source.type).element_type, ir.IntegerType))
    return source, inv_freq


def _through_cast(value: ir.Value) -> ir.Value:
    owner = value.owner
    is_cast = not isinstance(owner, ir.Block) and owner.name == "torch.aten.to.dtype"
    return owner.operands[0] if is_cast else value


def _emit(rotation: _Rotation, whole: ir.Value) -> ir.Value:
    """Rotate `whole`, whose first values are the rotation's x; return it in its own layout."""
    angles = rotation.angles
    batch = builtin_type(whole.type).shape[0]
    match_if(angles.heads_axis in (1, 2) and builtin_type(whole.type).rank == _RANK)
    match_if(builtin_type(angles.positions.type).shape[0] == batch)
    inv_freq = to_builtin(angles.inv_freq)
    positions = _as_i32(to_builtin(angles.positions))
    table_type = ir.RankedTensorType.get(
        [*positions.type.shape, *inv_freq.type.shape], ir.F32Type.get()
    )
    table = RopeTableOp(
        positions, inv_freq, table_type, table_type, scaling=float_attr(angles.scaling)
    )
    x = to_builtin(whole)
    heads_first = angles.heads_axis == 1
    if heads_first:
        x = swap_axes(x, 1, 2)
    rope = RopeOp(x, table.cos, table.sin, x.type, style=ir.StringAttr.get("neox"))
    return swap_axes(rope.out, 1, 2) if heads_first else rope.out


def _as_i32(positions: ir.Value) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    if positions.type.element_type == i32:
        return positions
    return arith.TruncIOp(ir.RankedTensorType.get(positions.type.shape, i32), positions).result


def _replace(rewriter: Rewriter, op: Any, rotated: ir.Value) -> None:
    """Replace `op` by a value that may be narrower: a table in f32 makes torch's result one too."""
    element_type = builtin_type(op.results[0].type).element_type
    replace_torch(rewriter, op, [cast_float(rotated, element_type)])


@pattern
def _partial(op: Any, rewriter: Rewriter) -> None:
    """Match `cat(rotate(x[..., :n]), x[..., n:])`."""
    first, second = _concatenated_pair(op)
    inner = definer(first, "torch.aten.add.Tensor")
    rotation = _match_rotation(inner)
    rotated, rest = match_slice(rotation.x), match_slice(second)
    whole, last = builtin_type(rest.source.type).shape[-1], _RANK - 1
    match_if(rotated == Slice(rest.source, last, 0, rest.begin))
    match_if(rest == Slice(rest.source, last, rest.begin, whole))
    parts = op.operands[0]
    _replace(rewriter, op, _emit(rotation, rest.source))
    # The rotation of the part would lift again as a whole one.
    erase_unread(rewriter, [parts])


@pattern
def _full(op: Any, rewriter: Rewriter) -> None:
    rotation = _match_rotation(op)
    _replace(rewriter, op, _emit(rotation, rotation.x))


@register_pass("lift-rope")
def lift_rope(module: ir.Operation) -> int:
    """Lift rotary embeddings of the half-split (NeoX) style, whole heads or their first part.

    Before:
        %f = torch.aten.mul.Tensor %positions, %inv_freq        %a = torch.aten.cat [%f, %f]
        %r = torch.aten.cat [-%x[d/2:], %x[:d/2]]
        %y = %x * cos(%a) * scaling + %r * sin(%a) * scaling
    After:
        %cos, %sin = "llm.rope_table"(%positions, %inv_freq) {scaling}
        %y = "llm.rope"(%x, %cos, %sin) {style = "neox"}
    """
    # A partial rotation contains a full one, so it goes first.
    partial = apply_patterns(module, {"torch.aten.cat": _partial})
    return partial + apply_patterns(module, {"torch.aten.add.Tensor": _full})
