"""A user's file: two passes, and the reference of an operation."""

from dataclasses import dataclass

from octavo.interpret import reference
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@dataclass(frozen=True)
class Options:
    """Options of scale-twice."""

    times: int = 2


@register_pass("scale-twice", options=Options)
def scale_twice(module: ir.Operation, options: Options) -> int:
    """Scale again what is scaled, once."""

    def pattern(op, rewriter: Rewriter) -> bool:
        if "again" in op.operation.attributes:
            return False
        for _ in range(options.times - 1):
            op.operation.clone().operation.attributes["again"] = ir.UnitAttr.get()
        op.operation.attributes["again"] = ir.UnitAttr.get()
        return True

    return apply_patterns(module, {"llm.scale": pattern})


@register_pass("always-fails")
def always_fails(module: ir.Operation) -> int:
    """Fail."""
    raise RuntimeError("on purpose")


@reference("my.twice")
def twice(op, frame):
    """Double."""
    return 2 * frame[op.operands[0]]
