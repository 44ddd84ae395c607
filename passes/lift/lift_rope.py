"""lift-rope: rotary embeddings as `llm.rope_table` and `llm.rope`."""

from dataclasses import dataclass
from typing import Any

from octavo.dialects.llm import RopeOp, RopeTableOp
from octavo.dialects.llm.attributes import float_attr
from octavo.mlir import ir
from octavo.passes.match import (
    builtin_type,
    constant,
    definer,
    either_order,
    elements,
    match_if,
    number,
    pattern,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import swap_axes



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
    concat = definer(value, "torch.aten.cat")
    parts = elements(concat.operands[0])
    match_if(len(parts) == 2)
    upper = _slice(definer(parts[0], "torch.aten.neg").operands[0])
    lower = _slice(parts[1])
    head_dim = builtin_type(value.type).shape[-1]
    half = head_dim // 2
    match_if(upper[0] == lower[0] and head_dim == 2 * half)
    match_if(upper[1:] == (half, head_dim) and lower[1:] == (0, half))
    return lower[0]


def _slice(value: ir.Value) -> tuple[ir.Value, int, int]:
    """Match a slice of the last axis; return its source, begin and end."""
    operation = definer(value, "torch.aten.slice.Tensor")
    source, axis, begin, end, step = operation.operands
    shape = builtin_type(source.type).shape
    match_if(constant(axis) in (-1, len(shape) - 1) and constant(step) == 1)
    return source, constant(begin), min(constant(end), shape[-1])


def _match_table(value: ir.Value, function: str) -> _Angles:
    """Match `function(cat(f, f)) * scaling` with the heads' axis inserted; f is positions times inv_freq."""
    inserted = definer(value, "torch.aten.unsqueeze")
    heads_axis = constant(inserted.operands[1])
    table = _through_cast(inserted.operands[0])
    scaling = 1.0
    if definer(table).name == "torch.aten.mul.Scalar":
        scaling = number(definer(table).operands[1])
        table = definer(table).operands[0]
    angles = elements(definer(definer(table, function).operands[0], "torch.aten.cat").operands[0])
    match_if(len(angles) == 2 and angles[0] == angles[1])
    product = definer(angles[0], "torch.aten.mul.Tensor")
    positions, inv_freq = either_order(_match_angles, *product.operands)
    return _Angles(positions, inv_freq, scaling, heads_axis)


def _match_angles(positions: ir.Value, inv_freq: ir.Value) -> tuple[ir.Value, ir.Value]:
    match_if(builtin_type(inv_freq.type).rank == 1)
    column = definer(_through_cast(positions), "torch.aten.unsqueeze")
    source = column.operands[0]
    match_if(builtin_type(source.type).rank == 2 and constant(column.operands[1]) in (-1, 2))
    match_if(builtin_type(source.type).element_type == ir.IntegerType.get_signless(32))
    return source, inv_freq


def _through_cast(value: ir.Value) -> ir.Value:
    owner = value.owner
    is_cast = not isinstance(owner, ir.Block) and owner.name == "torch.aten.to.dtype"
    return owner.operands[0] if is_cast else value


def _emit(rotation: _Rotation, whole: ir.Value) -> ir.Value:
    """Rotate `whole`, whose first values are the rotation's x; return it in its own layout."""
    angles = rotation.angles
    match_if(angles.heads_axis in (1, 2) and builtin_type(whole.type).rank == 4)
    inv_freq = to_builtin(angles.inv_freq)
    positions = to_builtin(angles.positions)
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


@pattern
def _partial(op: Any, rewriter: Rewriter) -> None:
    """Match `cat(rotate(x[..., :n]), x[..., n:])`."""
    parts = elements(op.operands[0])
    match_if(len(parts) == 2)
    inner = definer(parts[0], "torch.aten.add.Tensor")
    rotation = _match_rotation(inner)
    rotated, rest = _slice(rotation.x), _slice(parts[1])
    whole = builtin_type(rest[0].type).shape[-1]
    match_if(rotated[0] == rest[0] and rotated[1] == 0 and rest[1:] == (rotated[2], whole))
    parts_list = op.operands[0].owner
    replace_torch(rewriter, op, [_emit(rotation, rest[0])])
    # The rotation of the part would lift again as a whole one; nobody reads it any more.
    if not any(True for _ in parts_list.results[0].uses):
        rewriter.erase(parts_list)
        rewriter.erase(inner)


@pattern
def _full(op: Any, rewriter: Rewriter) -> None:
    match_if(number(op.operands[2]) == 1)
    rotation = _match_rotation(op)
    replace_torch(rewriter, op, [_emit(rotation, rotation.x)])


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


