"""lift-elementwise: sums, products, scalings and casts on builtin tensors."""

from collections.abc import Callable
from typing import Any

from octavo.dialects.llm import ScaleOp
from octavo.dialects.llm.attributes import float_attr
from octavo.mlir import arith, ir
from octavo.passes.match import (
    builtin_type,
    either_order,
    match_if,
    number,
    pattern,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Pattern, Rewriter, apply_patterns


def _binary(build: Callable[[ir.Value, ir.Value], Any], *, has_alpha: bool) -> Pattern:
    @pattern
    def match(op: Any, rewriter: Rewriter) -> None:
        match_if(not has_alpha or number(op.operands[2]) == 1)
        left, right = op.operands[0], op.operands[1]
        match_if(left.type == right.type == op.results[0].type)
        match_if(isinstance(builtin_type(left.type).element_type, ir.FloatType))
        replace_torch(rewriter, op, [build(to_builtin(left), to_builtin(right)).result])

    return match


def _scale(rewriter: Rewriter, op: Any, x: ir.Value, factor: float) -> None:
    match_if(x.type == op.results[0].type)
    match_if(isinstance(builtin_type(x.type).element_type, ir.FloatType))
    source = to_builtin(x)
    replace_torch(rewriter, op, [ScaleOp(source, source.type, factor=float_attr(factor)).out])


@pattern
def _square(op: Any, rewriter: Rewriter) -> None:
    """Match `x ** 2` and `square(x)`, such as in the MLP of Nemotron."""
    match_if(op.operation.name == "torch.aten.square" or number(op.operands[1]) == 2)
    match_if(op.operands[0].type == op.results[0].type)
    match_if(isinstance(builtin_type(op.operands[0].type).element_type, ir.FloatType))
    source = to_builtin(op.operands[0])
    replace_torch(rewriter, op, [arith.MulFOp(source, source).result])


@pattern
def _by_scalar(op: Any, rewriter: Rewriter) -> None:
    _scale(rewriter, op, op.operands[0], number(op.operands[1]))


@pattern
def _by_reciprocal(op: Any, rewriter: Rewriter) -> None:
    divisor = number(op.operands[1])
    match_if(divisor != 0)
    _scale(rewriter, op, op.operands[0], 1.0 / divisor)


@pattern
def _by_literal(op: Any, rewriter: Rewriter) -> None:
    """Match a product with a constant tensor of one value, such as Gemma's scale of the embeddings."""

    def match(x: ir.Value, factor: ir.Value) -> tuple[ir.Value, float]:
        match_if(builtin_type(factor.type).rank == 0)
        return x, number(factor)

    _scale(rewriter, op, *either_order(match, op.operands[0], op.operands[1]))


@pattern
def _cast(op: Any, rewriter: Rewriter) -> None:
    old, new = builtin_type(op.operands[0].type), builtin_type(op.results[0].type)
    widths = [
        type_.element_type.width
        for type_ in (old, new)
        if isinstance(type_.element_type, ir.FloatType)
    ]
    match_if(len(widths) == 2 and widths[0] != widths[1])
    build = arith.ExtFOp if widths[0] < widths[1] else arith.TruncFOp
    replace_torch(rewriter, op, [build(new, to_builtin(op.operands[0])).result])


@register_pass("lift-elementwise")
def lift_elementwise(module: ir.Operation) -> int:
    """Lift sums and products of tensors of one shape, squares, products with numbers, casts between floats.

    Before:
        %s = torch.aten.add.Tensor %x, %y, %int1
        %e = torch.aten.mul.Scalar %s, 8.0
    After:
        %s = arith.addf %x, %y
        %e = "llm.scale"(%s) {factor = 8.0}
    """
    return apply_patterns(
        module,
        {
            "torch.aten.add.Tensor": _binary(arith.AddFOp, has_alpha=True),
            "torch.aten.sub.Tensor": _binary(arith.SubFOp, has_alpha=True),
            "torch.aten.mul.Tensor": [_binary(arith.MulFOp, has_alpha=False), _by_literal],
            "torch.aten.square": _square,
            "torch.aten.pow.Tensor_Scalar": _square,
            "torch.aten.mul.Scalar": _by_scalar,
            "torch.aten.div.Scalar": _by_reciprocal,
            "torch.aten.to.dtype": _cast,
            "torch.aten.type_as": _cast,
        },
    )
