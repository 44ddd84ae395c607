"""fold-transposes: two transposes in a row are one, and one that moves nothing is none."""

from typing import Any

from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import transpose


def _permutation(op: Any) -> list[int]:
    return list(ir.DenseI64ArrayAttr(op.attributes["permutation"]))


def _fold(op: Any, rewriter: Rewriter) -> bool:
    source = op.operands[0]
    outer = _permutation(op)
    if outer == sorted(outer):
        rewriter.replace(op, [source])
        return True
    owner = source.owner
    if isinstance(owner, ir.Block) or owner.name != "linalg.transpose":
        return False
    inner = _permutation(owner)
    combined = [inner[axis] for axis in outer]
    original = owner.operands[0]
    if combined == sorted(combined):
        rewriter.replace(op, [original])
    else:
        rewriter.replace(op, [transpose(original, combined)])
    return True


@register_pass("fold-transposes")
def fold_transposes(module: ir.Operation) -> int:
    """Fold a transpose of a transpose, and drop one that leaves the axes in order.

    Before:
        %1 = linalg.transpose ins(%x) permutation = [0, 2, 1, 3]
        %2 = linalg.transpose ins(%1) permutation = [0, 2, 1, 3]
    After:
        (uses of %2 read %x)
    """
    return apply_patterns(module, {"linalg.transpose": _fold})
