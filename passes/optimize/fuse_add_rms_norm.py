"""fuse-add-rms-norm: the residual add and the norm that reads it, as one operation."""

from typing import Any

from octavo.dialects.llm import AddRMSNormOp
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


def _is_read_before(value: ir.Value, op: ir.Operation) -> bool:
    """Whether an operation before `op` in its block reads `value`."""
    return any(
        use.owner.operation != op and use.owner.operation.is_before_in_block(op)
        for use in value.uses
    )


def _fuse(op: Any, rewriter: Rewriter) -> bool:
    add = op.x.owner
    if isinstance(add, ir.Block) or add.name != "arith.addf":
        return False
    if _is_read_before(op.x, op.operation):
        return False  # the fused operation would define the sum too late
    x, residual = add.operands
    fused = AddRMSNormOp(
        x, residual, op.weight, x.type, x.type, eps=op.eps, weight_offset=op.weight_offset
    )
    total = op.x
    rewriter.replace(op, [fused.out])
    total.replace_all_uses_with(fused.sum)
    rewriter.erase(add)
    return True


@register_pass("fuse-add-rms-norm")
def fuse_add_rms_norm(module: ir.Operation) -> int:
    """Fuse `llm.rms_norm(x + residual)` into `llm.add_rms_norm`, which returns the sum too.

    Before:
        %s = arith.addf %x, %residual
        %y = "llm.rms_norm"(%s, %w)
    After:
        %s, %y = "llm.add_rms_norm"(%x, %residual, %w)
    """
    return apply_patterns(module, {"llm.rms_norm": _fuse})
