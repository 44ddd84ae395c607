"""lower-activation: activations, gated products and scalings, element by element."""

from octavo.dialects.llm import ActivationOp, GegluOp, ScaleOp, SoftcapOp, SwigluOp
from octavo.mlir import arith, ir, math
from octavo.passes.lower.build import Body, elementwise
from octavo.passes.lower.scalar import (
    gelu,
    gelu_tanh,
    narrowed,
    real,
    relu,
    sigmoid,
    silu,
    softcap,
    widened,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns

_ACTIVATIONS: dict[str, Body] = {
    "silu": silu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "relu": relu,
    "sigmoid": sigmoid,
    "tanh": math.tanh,
}
_GELU: dict[str, Body] = {"none": gelu, "tanh": gelu_tanh}


@register_pass("lower-activation")
def lower_activation(module: ir.Operation) -> int:
    """Turn `llm.activation`, `swiglu`, `geglu`, `scale` and `softcap` into one loop each, computed in f32.

    Before:  %y = llm.swiglu(%gate, %up)
    After:   %y = linalg.generic { %up * %gate / (1 + exp(-%gate)) }
    """
    return apply_patterns(
        module,
        {
            ActivationOp.OPERATION_NAME: _activation,
            SwigluOp.OPERATION_NAME: _swiglu,
            GegluOp.OPERATION_NAME: _geglu,
            ScaleOp.OPERATION_NAME: _scale,
            SoftcapOp.OPERATION_NAME: _softcap,
        },
    )


def _activation(op: ActivationOp, rewriter: Rewriter) -> bool:
    return _replace(op, rewriter, _ACTIVATIONS[op.kind.value])


def _swiglu(op: SwigluOp, rewriter: Rewriter) -> bool:
    return _replace(op, rewriter, lambda gate, up: arith.mulf(silu(gate), up))


def _geglu(op: GegluOp, rewriter: Rewriter) -> bool:
    function = _GELU[op.approximate.value]
    return _replace(op, rewriter, lambda gate, up: arith.mulf(function(gate), up))


def _scale(op: ScaleOp, rewriter: Rewriter) -> bool:
    factor = op.factor.value
    return _replace(op, rewriter, lambda x: arith.mulf(x, real(factor)))


def _softcap(op: SoftcapOp, rewriter: Rewriter) -> bool:
    cap = op.cap.value
    return _replace(op, rewriter, lambda x: softcap(x, cap))


def _replace(
    op: ActivationOp | SwigluOp | GegluOp | ScaleOp | SoftcapOp, rewriter: Rewriter, body: Body
) -> bool:
    element = op.out.type.element_type

    def in_f32(*scalars: ir.Value) -> ir.Value:
        return narrowed(body(*map(widened, scalars)), element)

    rewriter.replace(op, [elementwise(list(op.operands), element, in_f32)])
    return True
