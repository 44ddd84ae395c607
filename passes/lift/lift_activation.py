"""lift-activation: activation functions as `llm.activation`, capped scores as `llm.softcap`."""

import math
from typing import Any

from octavo.dialects.llm import ActivationOp, SoftcapOp
from octavo.dialects.llm.attributes import float_attr
from octavo.mlir import ir
from octavo.passes.match import (
    constant,
    definer,
    either_order,
    erase_unread,
    match_if,
    number,
    pattern,
    plus_number,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Pattern, Rewriter, apply_patterns

_SIMPLE = {
    "torch.aten.silu": "silu",
    "torch.aten.relu": "relu",
    "torch.aten.sigmoid": "sigmoid",
    "torch.aten.tanh": "tanh",
}
_GELU = {"none": "gelu", "tanh": "gelu_tanh"}


def _emit(rewriter: Rewriter, op: Any, x: ir.Value, kind: str) -> None:
    source = to_builtin(x)
    activation = ActivationOp(source, source.type, kind=ir.StringAttr.get(kind))
    replace_torch(rewriter, op, [activation.out])


def _simple(kind: str) -> Pattern:
    @pattern
    def match(op: Any, rewriter: Rewriter) -> None:
        _emit(rewriter, op, op.operands[0], kind)

    return match


@pattern
def _gelu(op: Any, rewriter: Rewriter) -> None:
    _emit(rewriter, op, op.operands[0], _GELU[constant(op.operands[1])])


def _is_close(value: float, wanted: float) -> bool:
    return math.isclose(value, wanted, rel_tol=1e-6)


@pattern
def _written_out_gelu_tanh(op: Any, rewriter: Rewriter) -> None:
    """Match `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`."""

    def match(half: ir.Value, gate: ir.Value) -> ir.Value:
        halved = definer(half, "torch.aten.mul.Scalar")
        match_if(number(halved.operands[1]) == 0.5)
        curve, shift = plus_number(gate)
        match_if(shift == 1.0)
        scaled = definer(definer(curve, "torch.aten.tanh").operands[0], "torch.aten.mul.Scalar")
        match_if(_is_close(number(scaled.operands[1]), math.sqrt(2 / math.pi)))
        match_if(_cubic(scaled.operands[0]) == halved.operands[0])
        return halved.operands[0]

    factors = list(op.operands)
    x = either_order(match, *factors)
    _emit(rewriter, op, x, "gelu_tanh")
    erase_unread(rewriter, factors)


def _cubic(value: ir.Value) -> ir.Value:
    """Match `x + 0.044715 x^3`; return x."""
    total = definer(value, "torch.aten.add.Tensor")
    match_if(number(total.operands[2]) == 1)

    def match(x: ir.Value, term: ir.Value) -> ir.Value:
        scaled = definer(term, "torch.aten.mul.Scalar")
        match_if(_is_close(number(scaled.operands[1]), 0.044715))
        cube = definer(scaled.operands[0], "torch.aten.pow.Tensor_Scalar")
        match_if(number(cube.operands[1]) == 3 and cube.operands[0] == x)
        return x

    found: ir.Value = either_order(match, total.operands[0], total.operands[1])
    return found


@pattern
def _softcap(op: Any, rewriter: Rewriter) -> None:
    """Match `cap * tanh(x / cap)`."""
    cap = number(op.operands[1])
    inner = definer(definer(op.operands[0], "torch.aten.tanh").operands[0], "torch.aten.div.Scalar")
    match_if(number(inner.operands[1]) == cap and cap > 0)
    source, curve = to_builtin(inner.operands[0]), op.operands[0]
    replace_torch(rewriter, op, [SoftcapOp(source, source.type, cap=float_attr(cap)).out])
    erase_unread(rewriter, [curve])


@register_pass("lift-activation")
def lift_activation(module: ir.Operation) -> int:
    """Lift activation functions, GPT-2's written-out gelu, and softcaps.

    Before:
        %a = torch.aten.silu %x
        %c = torch.aten.mul.Scalar (torch.aten.tanh (torch.aten.div.Scalar %y, 30.0)), 30.0
    After:
        %a = "llm.activation"(%x) {kind = "silu"}
        %c = "llm.softcap"(%y) {cap = 30.0}
    """
    # The composed forms contain simple ones, so they go first.
    composed = apply_patterns(
        module,
        {"torch.aten.mul.Tensor": _written_out_gelu_tanh, "torch.aten.mul.Scalar": _softcap},
    )
    simple = {name: _simple(kind) for name, kind in _SIMPLE.items()}
    return composed + apply_patterns(module, {"torch.aten.gelu": _gelu, **simple})
