"""lift-norm: torch's normalisations, whole or written out, as `llm.rms_norm` and `llm.layer_norm`."""

from typing import Any

from octavo.dialects.llm import LayerNormOp, RMSNormOp
from octavo.dialects.llm.attributes import float_attr
from octavo.mlir import ir
from octavo.passes.match import (
    builtin_type,
    constant,
    constants,
    definer,
    either_order,
    is_none,
    match_if,
    number,
    pattern,
    plus_number,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import cast_float

_F32_EPSILON = 2.0**-23
_CASTS = ("torch.aten.to.dtype", "torch.aten._to_copy", "torch.aten.type_as")


def _through_casts(value: ir.Value) -> ir.Value:
    while not isinstance(value.owner, ir.Block) and value.owner.name in _CASTS:
        source = value.owner.operands[0]
        match_if(_is_float(source) and _is_float(value))
        value = source
    return value


def _is_float(value: ir.Value) -> bool:
    return isinstance(builtin_type(value.type).element_type, ir.FloatType)


def _normalized(value: ir.Value) -> tuple[ir.Value, float]:
    """Match `x * rsqrt(mean(x * x, -1) + eps)`; return x and eps."""
    product = definer(value, "torch.aten.mul.Tensor")

    def match(x: ir.Value, scale: ir.Value) -> tuple[ir.Value, float]:
        mean_square, eps = plus_number(definer(scale, "torch.aten.rsqrt").operands[0])
        mean = definer(mean_square, "torch.aten.mean.dim")
        last_axis = builtin_type(x.type).rank - 1
        match_if(constants(mean.operands[1]) in ([-1], [last_axis]))
        match_if(constant(mean.operands[2]) is True)
        match_if(_square(mean.operands[0]) == x)
        return _through_casts(x), eps

    found: tuple[ir.Value, float] = either_order(match, product.operands[0], product.operands[1])
    return found


def _square(value: ir.Value) -> ir.Value:
    """Match `x ** 2` or `x * x`; return x."""
    operation = definer(
        value, "torch.aten.pow.Tensor_Scalar", "torch.aten.square", "torch.aten.mul.Tensor"
    )
    if operation.name == "torch.aten.pow.Tensor_Scalar":
        match_if(number(operation.operands[1]) == 2)
    if operation.name == "torch.aten.mul.Tensor":
        match_if(operation.operands[0] == operation.operands[1])
    return operation.operands[0]


def _weight(value: ir.Value) -> tuple[ir.Value, float]:
    """Match a weight, or a weight plus a number; return the weight and the number."""
    value = _through_casts(value)
    offset = 0.0
    if not isinstance(value.owner, ir.Block) and value.owner.name == "torch.aten.add.Scalar":
        value, offset = plus_number(value)
        value = _through_casts(value)
    return value, offset


@pattern
def _written_out(op: Any, rewriter: Rewriter) -> None:
    def match(scaled: ir.Value, weight: ir.Value) -> tuple[ir.Value, float, ir.Value, float]:
        return (*_normalized(_through_casts(scaled)), *_weight(weight))

    x, eps, weight, offset = either_order(match, op.operands[0], op.operands[1])
    match_if(builtin_type(weight.type).shape == builtin_type(x.type).shape[-1:])
    result = _rms_norm(x, weight, eps, offset)
    replace_torch(rewriter, op, [cast_float(result, builtin_type(op.results[0].type).element_type)])


@pattern
def _whole_rms_norm(op: Any, rewriter: Rewriter) -> None:
    x, shape, weight, eps = op.operands
    match_if(len(constants(shape)) == 1 and not is_none(weight))
    # Where none is given torch takes the smallest step of the type that it computes in, which is f32.
    width = builtin_type(x.type).element_type.width
    match_if(not is_none(eps) or width <= 32)
    replace_torch(
        rewriter, op, [_rms_norm(x, weight, _F32_EPSILON if is_none(eps) else number(eps), 0.0)]
    )


def _rms_norm(x: ir.Value, weight: ir.Value, eps: float, offset: float) -> ir.Value:
    source = to_builtin(x)
    norm = RMSNormOp(
        source,
        to_builtin(weight),
        source.type,
        eps=float_attr(eps),
        weight_offset=float_attr(offset),
    )
    return norm.out


@pattern
def _layer_norm(op: Any, rewriter: Rewriter) -> None:
    x, shape, weight, bias, eps, _ = op.operands
    match_if(len(constants(shape)) == 1)
    source = to_builtin(x)
    norm = LayerNormOp(
        source,
        None if is_none(weight) else to_builtin(weight),
        None if is_none(bias) else to_builtin(bias),
        source.type,
        eps=float_attr(number(eps)),
    )
    replace_torch(rewriter, op, [norm.out])


@register_pass("lift-norm")
def lift_norm(module: ir.Operation) -> int:
    """Lift RMS norms, also where they are written out, and layer norms over the last axis.

    Before:
        %m = torch.aten.mean.dim (torch.aten.pow.Tensor_Scalar %x, 2), [-1], true
        %n = torch.aten.mul.Tensor %x, (torch.aten.rsqrt (torch.aten.add.Scalar %m, %eps))
        %y = torch.aten.mul.Tensor %weight, %n
    After:
        %y = "llm.rms_norm"(%x, %weight) {eps, weight_offset = 0.0}
    """
    return apply_patterns(
        module,
        {
            "torch.aten.mul.Tensor": _written_out,
            "torch.aten.rms_norm": _whole_rms_norm,
            "torch.aten.layer_norm": _layer_norm,
        },
    )
