"""lower-rope: positions, the tables of their angles, and the rotation of queries and keys."""

from octavo.dialects.llm import PositionsOp, RopeOp, RopeTableOp
from octavo.mlir import arith, ir, math, tensor
from octavo.passes.lower.build import (
    Body,
    collapse,
    expand,
    fitted,
    index,
    parallel,
    sizes_of,
    with_front,
)
from octavo.passes.lower.scalar import (
    as_i32,
    axis_index,
    equal,
    f32,
    i32,
    integer,
    less,
    narrowed,
    real,
    reduced_angle,
    widened,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import extract_slice


@register_pass("lower-rope")
def lower_rope(module: ir.Operation) -> int:
    """Turn `llm.positions`, `rope_table` and `rope` into loops, computed in f32.

    Before:  %y = llm.rope(%x, %cos, %sin) {style = "neox"}
    After:   %y = linalg.generic { %x * cos[pair] -+ %x[partner] * sin[pair] }
    """
    return apply_patterns(
        module,
        {
            PositionsOp.OPERATION_NAME: _positions,
            RopeTableOp.OPERATION_NAME: _rope_table,
            RopeOp.OPERATION_NAME: _rope,
        },
    )


def _positions(op: PositionsOp, rewriter: Rewriter) -> bool:
    def body(start: ir.Value, length: ir.Value) -> ir.Value:
        token = as_i32(axis_index(1))
        return arith.select(less(token, length), arith.addi(start, token), integer(0))

    inputs = [(op.start, "b"), (op.lens, "b")]
    rewriter.replace(op, [parallel("bt", inputs, sizes_of(op.tokens), i32(), body)])
    return True


def _rope_table(op: RopeTableOp, rewriter: Rewriter) -> bool:
    sizes = [*sizes_of(op.positions), *sizes_of(op.inv_freq)]
    inputs = [(op.positions, "bt"), (op.inv_freq, "r")]
    scaling = op.scaling.value

    def table(function: Body) -> ir.Value:
        def body(position: ir.Value, frequency: ir.Value) -> ir.Value:
            angle = reduced_angle(arith.mulf(arith.sitofp(f32(), position), frequency))
            return arith.mulf(function(angle), real(scaling))

        return parallel("btr", inputs, sizes, f32(), body)

    values = [(table(math.cos), op.cos), (table(math.sin), op.sin)]
    rewriter.replace(op, [fitted(value, result.type) for value, result in values])
    return True


def _rope(op: RopeOp, rewriter: Rewriter) -> bool:
    num_rotated = 2 * op.cos.type.shape[-1]
    if num_rotated == op.x.type.shape[-1]:
        out = _rotated(op, op.x)
    else:
        part = extract_slice(op.x, axis=3, offset=0, size=num_rotated)
        out = with_front(op.x, _rotated(op, part))
    rewriter.replace(op, [out])
    return True


def _rotated(op: RopeOp, x: ir.Value) -> ir.Value:
    """Rotate all of a head: x is `[b, t, heads, 2r]`."""
    # A head as pairs: axis c tells the two of a pair apart, axis r counts pairs.
    axes = "bthcr" if op.style.value == "neox" else "bthrc"
    sizes = {**dict(zip("bth", sizes_of(x), strict=False)), "c": 2, "r": op.cos.type.shape[-1]}
    groups = [[0], [1], [2], [3, 4]]
    pairs = expand(x, groups, [sizes[axis] for axis in axes])
    which = axes.index("c")

    def body(value: ir.Value, cos: ir.Value, sin: ir.Value) -> ir.Value:
        place = [axis_index(axis) for axis in range(len(axes))]
        is_first = equal(place[which], index(0))
        place[which] = arith.subi(index(1), place[which])
        other = widened(tensor.extract(pairs, place))
        turned = arith.mulf(other, arith.select(is_first, arith.negf(sin), sin))
        return narrowed(arith.addf(arith.mulf(widened(value), cos), turned), x.type.element_type)

    inputs = [(pairs, axes), (op.cos, "btr"), (op.sin, "btr")]
    return collapse(parallel(axes, inputs, sizes_of(pairs), x.type.element_type, body), groups)
