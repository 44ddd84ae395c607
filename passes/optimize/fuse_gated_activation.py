"""fuse-gated-activation: an activation and the product that reads it, as `llm.swiglu` or `llm.geglu`."""

from typing import Any

from octavo.dialects.llm import ActivationOp, GegluOp, SwigluOp
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns

_GELU_FORMS = {"gelu": "none", "gelu_tanh": "tanh"}


def _gate_of(value: ir.Value) -> ir.Operation | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != ActivationOp.OPERATION_NAME:
        return None
    return owner.operation if len(list(value.uses)) == 1 else None


def _fuse(op: Any, rewriter: Rewriter) -> bool:
    for gate_value, up in ((op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])):
        gate = _gate_of(gate_value)
        if gate is not None and _replace(op, gate, up, rewriter):
            return True
    return False


def _replace(op: Any, gate: ir.Operation, up: ir.Value, rewriter: Rewriter) -> bool:
    kind = ir.StringAttr(gate.attributes["kind"]).value
    x = gate.operands[0]
    if kind == "silu":
        fused = SwigluOp(x, up, x.type).out
    elif kind in _GELU_FORMS:
        approximate = ir.StringAttr.get(_GELU_FORMS[kind])
        fused = GegluOp(x, up, x.type, approximate=approximate).out
    else:
        return False
    rewriter.replace(op, [fused])
    rewriter.erase(gate)
    return True


@register_pass("fuse-gated-activation")
def fuse_gated_activation(module: ir.Operation) -> int:
    """Fuse `silu(gate) * up` into `llm.swiglu`, `gelu(gate) * up` into `llm.geglu`.

    Before:
        %a = "llm.activation"(%gate) {kind = "silu"}
        %y = arith.mulf %a, %up
    After:
        %y = "llm.swiglu"(%gate, %up)
    """
    return apply_patterns(module, {"arith.mulf": _fuse})
