"""lower-norm: RMS norm, its fusion with a residual add, and layer norm."""

from collections.abc import Sequence

from octavo.dialects.llm import AddRMSNormOp, LayerNormOp, RMSNormOp
from octavo.mlir import arith, ir, math
from octavo.passes.lower.build import (
    Body,
    axes_of,
    elementwise,
    filled,
    generic,
    parallel,
    sizes_of,
)
from octavo.passes.lower.scalar import f32, i32, narrowed, real, widened
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-norm")
def lower_norm(module: ir.Operation) -> int:
    """Turn `llm.rms_norm`, `add_rms_norm` and `layer_norm` into a reduction and a loop; statistics in f32.

    Before:  %y = llm.rms_norm(%x, %w) {eps, weight_offset}
    After:   %squares = linalg.generic { sum of %x * %x over the last axis }
             %y = linalg.generic { %x * rsqrt(%squares / n + eps) * (%w + weight_offset) }
    """
    return apply_patterns(
        module,
        {
            RMSNormOp.OPERATION_NAME: _rms_norm,
            AddRMSNormOp.OPERATION_NAME: _add_rms_norm,
            LayerNormOp.OPERATION_NAME: _layer_norm,
        },
    )


def _rms_norm(op: RMSNormOp, rewriter: Rewriter) -> bool:
    rewriter.replace(op, [_rms(op.x, op.weight, op.eps.value, op.weight_offset.value)])
    return True


def _add_rms_norm(op: AddRMSNormOp, rewriter: Rewriter) -> bool:
    added = elementwise([op.x, op.residual], op.x.type.element_type, arith.addf)
    normed = _rms(added, op.weight, op.eps.value, op.weight_offset.value)
    rewriter.replace(op, [added, normed])
    return True


def _layer_norm(op: LayerNormOp, rewriter: Rewriter) -> bool:
    x, axes, element = op.x, axes_of(op.x), op.x.type.element_type
    width = _width(x)
    total = _sum_last(x, [], lambda value: value)
    # The squares of the distances, not the difference of two large numbers: that one cancels.
    squares = _sum_last(x, [total], lambda value, total: _squared(_distance(value, total, width)))
    affine = [value for value in (op.weight, op.bias) if value is not None]

    def body(value: ir.Value, total: ir.Value, squares: ir.Value, *rest: ir.Value) -> ir.Value:
        terms = list(map(widened, rest))
        distance = _distance(widened(value), total, width)
        normed = arith.mulf(distance, _inverse_root_mean(squares, width, op.eps.value))
        if op.weight is not None:
            normed = arith.mulf(normed, terms.pop(0))
        return narrowed(arith.addf(normed, terms.pop()) if terms else normed, element)

    inputs = [(x, axes), (total, axes[:-1]), (squares, axes[:-1])]
    inputs += [(value, axes[-1]) for value in affine]
    rewriter.replace(op, [parallel(axes, inputs, sizes_of(x), element, body)])
    return True


def _rms(x: ir.Value, weight: ir.Value, eps: float, weight_offset: float) -> ir.Value:
    axes, element, width = axes_of(x), x.type.element_type, _width(x)
    squares = _sum_last(x, [], _squared)

    def body(value: ir.Value, squares: ir.Value, scale: ir.Value) -> ir.Value:
        factor = (
            arith.addf(real(weight_offset), widened(scale)) if weight_offset else widened(scale)
        )
        normed = arith.mulf(widened(value), _inverse_root_mean(squares, width, eps))
        return narrowed(arith.mulf(normed, factor), element)

    inputs = [(x, axes), (squares, axes[:-1]), (weight, axes[-1])]
    return parallel(axes, inputs, sizes_of(x), element, body)


def _sum_last(x: ir.Value, others: Sequence[ir.Value], term: Body) -> ir.Value:
    """Sum `term(x, *others)` over the last axis, which the others lack."""
    axes = axes_of(x)
    zeros = filled(sizes_of(x)[:-1], real(0))
    inputs = [(x, axes), *((other, axes[:-1]) for other in others)]

    def body(value: ir.Value, *rest: ir.Value) -> ir.Value:
        *others, total = rest
        return arith.addf(total, term(widened(value), *others))

    return generic(axes, inputs, zeros, axes[:-1], body)


def _width(x: ir.Value) -> ir.Value:
    """Size of the last axis, as an f32."""
    size = sizes_of(x)[-1]
    return (
        real(size) if isinstance(size, int) else arith.sitofp(f32(), arith.index_cast(i32(), size))
    )


def _squared(value: ir.Value) -> ir.Value:
    return arith.mulf(value, value)


def _distance(value: ir.Value, total: ir.Value, width: ir.Value) -> ir.Value:
    return arith.subf(value, arith.divf(total, width))


def _inverse_root_mean(squares: ir.Value, width: ir.Value, eps: float) -> ir.Value:
    return math.rsqrt(arith.addf(arith.divf(squares, width), real(eps)))
