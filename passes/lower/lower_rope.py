"""lower-rope: positions, the tables of their angles, and the rotation of queries and keys."""

from octavo.dialects.llm import PositionsOp, RopeOp, RopeTableOp
from octavo.mlir import arith, ir, math, tensor
from octavo.passes.lower.build import Body, fitted, index, parallel, sizes_of
from octavo.passes.lower.scalar import (
    as_i32,
    axis_index,
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
    x, element = op.x, op.x.type.element_type
    num_pairs = op.cos.type.shape[-1]
    locate = _PARTNERS[op.style.value]

    def body(value: ir.Value) -> ir.Value:
        b, t, h, d = map(axis_index, range(4))
        is_first, pair, partner = locate(d, num_pairs)
        is_rotated = less(d, index(2 * num_pairs))
        partner = arith.select(is_rotated, partner, d)
        cos = tensor.extract(op.cos, [b, t, pair])
        sin = tensor.extract(op.sin, [b, t, pair])
        other = widened(tensor.extract(x, [b, t, h, partner]))
        other = arith.select(is_first, arith.negf(other), other)
        rotated = arith.addf(arith.mulf(widened(value), cos), arith.mulf(other, sin))
        return arith.select(is_rotated, narrowed(rotated, element), value)

    rewriter.replace(op, [parallel("bthd", [(x, "bthd")], sizes_of(x), element, body)])
    return True


def _neox(d: ir.Value, num_pairs: int) -> tuple[ir.Value, ir.Value, ir.Value]:
    half = index(num_pairs)
    is_first = less(d, half)
    partner = arith.select(is_first, arith.addi(d, half), arith.subi(d, half))
    return is_first, arith.remui(d, half), partner


def _interleaved(d: ir.Value, num_pairs: int) -> tuple[ir.Value, ir.Value, ir.Value]:
    one, two = index(1), index(2)
    is_first = less(arith.remui(d, two), one)
    partner = arith.select(is_first, arith.addi(d, one), arith.subi(d, one))
    return is_first, arith.remui(arith.divui(d, two), index(num_pairs)), partner


# From a place in a head: whether it is the first of its pair, the pair's number, the place of the other one.
# Behind the rotated places the pair is any, and the other one is not read.
_PARTNERS = {"neox": _neox, "interleaved": _interleaved}
