"""lower-linear: products with weights, the head, and the choice of each row's last token."""

from octavo.dialects.llm import LastTokenOp, LinearOp, LogitsOp
from octavo.mlir import arith, ir, tensor
from octavo.passes.lower.build import (
    axes_of,
    collapse,
    expand,
    filled,
    fitted,
    generic,
    parallel,
    size_of,
    sizes_of,
)
from octavo.passes.lower.iree import materialized_result
from octavo.passes.lower.scalar import (
    axis_index,
    bounded,
    integer,
    less,
    multiply_add,
    narrowed,
    real,
    widened,
    zero,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-linear")
def lower_linear(module: ir.Operation) -> int:
    """Turn `llm.linear`, `logits` and `last_token` into a contraction and loops; sums in f32.

    The weight is read as it is stored, `[n, k]`: no transposed or packed copy of it is made.

    Before:  %y = llm.linear(%x, %w, %bias)
    After:   %sums = linalg.generic { sum over k of %x[m, k] * %w[n, k] }
             %y = linalg.generic { %sums + %bias }
    """
    return apply_patterns(
        module,
        {
            LinearOp.OPERATION_NAME: _linear,
            LogitsOp.OPERATION_NAME: _logits,
            LastTokenOp.OPERATION_NAME: _last_token,
        },
    )


def _linear(op: LinearOp, rewriter: Rewriter) -> bool:
    *outer, _ = sizes_of(op.x)
    residual = None if op.residual is None else _as_rows(op.residual)
    rows = _product(_as_rows(op.x), op.weight, op.bias, residual, op.out.type.element_type)
    out = _from_rows(rows, [*outer, size_of(op.weight, 0)])
    rewriter.replace(op, [fitted(out, op.out.type)])
    return True


def _logits(op: LogitsOp, rewriter: Rewriter) -> bool:
    last = _last_rows(op.x, op.lens)
    element = op.out.type.element_type
    out = _product(last, op.weight, op.bias, None, element)
    if op.bias is not None:

        def body(value: ir.Value, length: ir.Value) -> ir.Value:
            return arith.select(less(integer(0), length), value, zero(element))

        out = parallel("mn", [(out, "mn"), (op.lens, "m")], sizes_of(out), element, body)
    rewriter.replace(op, [fitted(out, op.out.type)])
    return True


def _last_token(op: LastTokenOp, rewriter: Rewriter) -> bool:
    rewriter.replace(op, [fitted(_last_rows(op.x, op.lens), op.out.type)])
    return True


def _last_rows(x: ir.Value, lens: ir.Value) -> ir.Value:
    """`x[b, lens[b] - 1]` for each row b, and 0 where `lens[b]` is 0."""
    batch, tokens, *rest = sizes_of(x)
    element = x.type.element_type
    axes = "b" + axes_of(x)[2:]

    def body(length: ir.Value) -> ir.Value:
        place = bounded(arith.subi(length, integer(1)), tokens)
        here = [axis_index(axis) for axis in range(len(axes))]
        value = tensor.extract(x, [here[0], place, *here[1:]])
        return arith.select(less(integer(0), length), value, zero(element))

    return parallel(axes, [(lens, "b")], [batch, *rest], element, body)


def _product(
    x: ir.Value,
    weight: ir.Value,
    bias: ir.Value | None,
    residual: ir.Value | None,
    element: ir.Type,
) -> ir.Value:
    """`x weight^T (+ bias) (+ residual)` for x `[m, k]` and weight `[n, k]`, as `[m, n]` of `element`."""
    zeros = filled([size_of(x, 0), size_of(weight, 0)], real(0))
    sums = generic("mnk", [(x, "mk"), (weight, "nk")], zeros, "mn", multiply_add)
    added = [(bias, "n"), (residual, "mn")]
    inputs = [(sums, "mn"), *((value, axes) for value, axes in added if value is not None)]
    if len(inputs) == 1 and element == sums.type.element_type:
        # Stored and read by a fused loop as well, a product takes IREE minutes to compile for Vulkan.
        return materialized_result(sums)

    def epilogue(total: ir.Value, *terms: ir.Value) -> ir.Value:
        for term in terms:
            total = arith.addf(total, widened(term))
        return narrowed(total, element)

    return parallel("mn", inputs, sizes_of(sums), element, epilogue)


def _as_rows(x: ir.Value) -> ir.Value:
    """`[..., k]` as `[m, k]`."""
    rank = x.type.rank
    if rank == 1:
        return expand(x, [[0, 1]], [1, size_of(x, 0)])
    return x if rank == 2 else collapse(x, [range(rank - 1), [rank - 1]])


def _from_rows(rows: ir.Value, sizes: list[ir.Value | int]) -> ir.Value:
    """`[m, n]` as `[..., n]` of the given sizes."""
    rank = len(sizes)
    if rank == 1:
        return collapse(rows, [[0, 1]])
    return rows if rank == 2 else expand(rows, [range(rank - 1), [rank - 1]], sizes)
