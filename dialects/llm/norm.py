"""Normalisation over the last axis."""

from octavo.dialects.base import require
from octavo.dialects.llm.dialect import LLMOperation
from octavo.dialects.llm.shapes import (
    check_float,
    check_min_rank,
    check_same_type,
    check_shape,
    shape_of,
)
from octavo.mlir import ext, ir


def _check_norm(x: ir.Value, eps: ir.FloatAttr) -> None:
    check_min_rank(x, "x", 1)
    check_float(x, "x")
    require(eps.value > 0, f"expected a positive eps, got {eps.value}")


def _check_parameter(value: ir.Value, name: str, x: ir.Value) -> None:
    check_shape(value, name, shape_of(x)[-1:])
    check_float(value, name)


class RMSNormOp(LLMOperation, name="rms_norm", traits=[ext.Pure]):
    """`out = x / sqrt(mean(x^2) + eps) * (weight_offset + weight)` over the last axis, statistics in f32.

    Operands:
        x: `[..., n]`, float.
        weight: `[n]`, float.
    Attributes:
        eps: added to the mean square.
        weight_offset: 0.0, or 1.0 where checkpoints store `weight - 1` (Gemma).
    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.
    """

    x: ext.Operand[ir.RankedTensorType]
    weight: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    eps: ir.FloatAttr = ext.attribute(kw_only=True)
    weight_offset: ir.FloatAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate x, weight and out."""
        _check_norm(self.x, self.eps)
        _check_parameter(self.weight, "weight", self.x)
        check_same_type(self.out, "out", self.x, "x")


class AddRMSNormOp(LLMOperation, name="add_rms_norm", traits=[ext.Pure]):
    """`sum = x + residual; out = rms_norm(sum)`: the residual add and the norm that reads it.

    Operands:
        x, residual: `[..., n]`, float, one type.
        weight: `[n]`, float.
    Results: `sum` and `out`, both of x's type.
    Attributes: as in `llm.rms_norm`.
    """

    x: ext.Operand[ir.RankedTensorType]
    residual: ext.Operand[ir.RankedTensorType]
    weight: ext.Operand[ir.RankedTensorType]
    sum: ext.Result[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    eps: ir.FloatAttr = ext.attribute(kw_only=True)
    weight_offset: ir.FloatAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate both inputs, weight and both results."""
        _check_norm(self.x, self.eps)
        check_same_type(self.residual, "residual", self.x, "x")
        _check_parameter(self.weight, "weight", self.x)
        check_same_type(self.sum, "sum", self.x, "x")
        check_same_type(self.out, "out", self.x, "x")


class LayerNormOp(LLMOperation, name="layer_norm", traits=[ext.Pure]):
    """`out = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias` over the last axis, statistics in f32.

    Operands:
        x: `[..., n]`, float.
        weight, bias: `[n]`, float, each optional.
    Attributes:
        eps: added to the (biased) variance.
    Source: Ba, Kiros and Hinton, Layer Normalization, 2016.
    """

    x: ext.Operand[ir.RankedTensorType]
    weight: ext.Operand[ir.RankedTensorType] | None
    bias: ext.Operand[ir.RankedTensorType] | None
    out: ext.Result[ir.RankedTensorType]
    eps: ir.FloatAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate x, weight, bias and out."""
        _check_norm(self.x, self.eps)
        for name, value in (("weight", self.weight), ("bias", self.bias)):
            if value is not None:
                _check_parameter(value, name, self.x)
        check_same_type(self.out, "out", self.x, "x")
