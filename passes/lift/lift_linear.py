"""lift-linear: products with weights as `llm.linear`, lookups as `llm.embedding`."""

from typing import Any

from octavo.dialects.llm import EmbeddingOp, LinearOp
from octavo.mlir import arith, ir
from octavo.passes.lift.dynamic_sizes import VIEWS, sizes, view_sizes
from octavo.passes.match import (
    builtin_type,
    definer,
    is_none,
    match_if,
    number,
    pattern,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import swap_axes


@pattern
def _linear(op: Any, rewriter: Rewriter) -> None:
    x, weight, bias = op.operands
    linear = LinearOp(
        to_builtin(x),
        to_builtin(weight),
        None if is_none(bias) else to_builtin(bias),
        None,
        builtin_type(op.results[0].type),
    )
    replace_torch(rewriter, op, [linear.out])


@pattern
def _flattened_addmm(op: Any, rewriter: Rewriter) -> None:
    """Match `addmm(bias, x.view(-1, k), weight).view(*rows, n)` and multiply x without the views.

    The rows of the second view must be x's own, not exchanged.
    """
    product = definer(op.operands[0], "torch.aten.addmm")
    bias, flat, weight, beta, alpha = product.operands
    match_if(number(beta) == 1 and number(alpha) == 1)
    x = definer(flat, *VIEWS).operands[0]
    out = builtin_type(op.results[0].type)
    features, outputs = builtin_type(weight.type).shape
    *rows, width = sizes(x)
    match_if(width == features and view_sizes(op) == [*rows, outputs])
    match_if(list(builtin_type(bias.type).shape) == [outputs])
    # The weight stands as [k, n]; the archive keeps the checkpoint's layout, so the program transposes.
    transposed = swap_axes(to_builtin(weight), 0, 1)
    linear = LinearOp(to_builtin(x), transposed, to_builtin(bias), None, out)
    replace_torch(rewriter, op, [linear.out])


@pattern
def _embedding(op: Any, rewriter: Rewriter) -> None:
    table, ids = op.operands[:2]
    indices = to_builtin(ids)
    i32 = ir.IntegerType.get_signless(32)
    if indices.type.element_type != i32:
        indices = arith.TruncIOp(ir.RankedTensorType.get(indices.type.shape, i32), indices).result
    out = EmbeddingOp(to_builtin(table), indices, builtin_type(op.results[0].type)).out
    replace_torch(rewriter, op, [out])


@register_pass("lift-linear")
def lift_linear(module: ir.Operation) -> int:
    """Lift linear layers (also GPT-2's `Conv1D`, an `addmm` between views) and embedding lookups.

    Before:
        %y = torch.aten.linear %x, %weight, %none
        %e = torch.aten.embedding %table, %ids, ...
    After:
        %y = "llm.linear"(%x, %weight)
        %e = "llm.embedding"(%table, %ids)
    """
    views = dict.fromkeys(VIEWS, _flattened_addmm)
    return apply_patterns(
        module, {"torch.aten.linear": _linear, "torch.aten.embedding": _embedding, **views}
    )
