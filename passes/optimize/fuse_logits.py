"""fuse-logits: pick each row's last token before the head's product, not after."""

from typing import Any

from octavo.dialects.llm import LastTokenOp, LinearOp, LogitsOp
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns

_ELEMENTWISE = ("llm.scale", "llm.softcap", "arith.extf", "arith.truncf")


def _sole_producer(op: Any, names: tuple[str, ...]) -> ir.Operation | None:
    """The operation that defines `op.x`, if it is one of `names` and nobody else reads it."""
    owner = op.x.owner
    if isinstance(owner, ir.Block) or owner.name not in names:
        return None
    return owner.operation if len(list(op.x.uses)) == 1 else None


def _move_above_elementwise(op: Any, rewriter: Rewriter) -> bool:
    producer = _sole_producer(op, _ELEMENTWISE)
    if producer is None:
        return False
    source = producer.operands[0]
    batch, _, *rest = source.type.shape
    picked_type = ir.RankedTensorType.get([batch, *rest], source.type.element_type)
    picked = LastTokenOp(source, op.lens, picked_type).out
    with producer.location:
        moved = ir.Operation.create(
            producer.name,
            results=[op.out.type],
            operands=[picked],
            attributes={name: producer.attributes[name] for name in producer.attributes},
        )
    rewriter.replace(op, [moved.result])
    rewriter.erase(producer)
    return True


def _fuse_into_head(op: Any, rewriter: Rewriter) -> bool:
    producer = _sole_producer(op, (LinearOp.OPERATION_NAME,))
    if producer is None or producer.opview.residual is not None:
        return False
    head = producer.opview
    if head.x.type.rank != 3:
        return False
    fused = LogitsOp(head.x, head.weight, head.bias, op.lens, op.out.type)
    rewriter.replace(op, [fused.out])
    rewriter.erase(producer)
    return True


@register_pass("fuse-logits")
def fuse_logits(module: ir.Operation) -> int:
    """Fuse `llm.last_token` into the head before it, past scales, softcaps and casts.

    A chunk of 128 tokens needs one row of logits, not 128.

    Before:
        %y = "llm.softcap"("llm.linear"(%x, %head))
        %last = "llm.last_token"(%y, %lens)
    After:
        %last = "llm.softcap"("llm.logits"(%x, %head, %lens))
    """
    patterns = [_fuse_into_head, _move_above_elementwise]
    return apply_patterns(module, {LastTokenOp.OPERATION_NAME: patterns})
