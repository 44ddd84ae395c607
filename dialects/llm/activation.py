"""Activations, gated products of MLPs, and element-wise scalings."""

from octavo.dialects.base import require
from octavo.dialects.llm.attributes import check_choice
from octavo.dialects.llm.dialect import LLMOperation
from octavo.dialects.llm.shapes import check_float, check_same_type
from octavo.mlir import ext, ir

ACTIVATIONS = ("silu", "gelu", "gelu_tanh", "relu", "sigmoid", "tanh")


class ActivationOp(LLMOperation, name="activation", traits=[ext.Pure]):
    """`out = f(x)` element by element, computed in f32.

    `silu`: `x sigmoid(x)`; `gelu`: `x/2 (1 + erf(x / sqrt 2))`; `gelu_tanh`:
    `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`; `relu`, `sigmoid`, `tanh` as usual.

    Operands: x, any shape, float. Result: x's type.
    Source: Hendrycks and Gimpel, GELU, 2016; Elfwing et al., SiLU, 2018.
    """

    x: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    kind: ir.StringAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate x and out, and check the kind."""
        check_float(self.x, "x")
        check_same_type(self.out, "out", self.x, "x")
        check_choice(self.kind, "kind", ACTIVATIONS)


class SwigluOp(LLMOperation, name="swiglu", traits=[ext.Pure]):
    """`out = silu(gate) * up`, element by element in f32.

    Operands: gate, up, any shape, float, one type. Result: the same type.
    Source: Shazeer, GLU Variants Improve Transformer, 2020.
    """

    gate: ext.Operand[ir.RankedTensorType]
    up: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]

    def check(self) -> None:
        """Relate gate, up and out."""
        check_float(self.gate, "gate")
        check_same_type(self.up, "up", self.gate, "gate")
        check_same_type(self.out, "out", self.gate, "gate")


class GegluOp(LLMOperation, name="geglu", traits=[ext.Pure]):
    """`out = gelu(gate) * up`, element by element in f32.

    Operands: gate, up, any shape, float, one type. Result: the same type.
    Attributes:
        approximate: `none` for the erf form of gelu, `tanh` for the tanh form.
    Source: Shazeer, GLU Variants Improve Transformer, 2020.
    """

    gate: ext.Operand[ir.RankedTensorType]
    up: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    approximate: ir.StringAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate gate, up and out, and check the form of gelu."""
        check_float(self.gate, "gate")
        check_same_type(self.up, "up", self.gate, "gate")
        check_same_type(self.out, "out", self.gate, "gate")
        check_choice(self.approximate, "approximate", ("none", "tanh"))


class ScaleOp(LLMOperation, name="scale", traits=[ext.Pure]):
    """`out = factor * x`, element by element.

    Operands: x, any shape, float. Result: x's type.
    """

    x: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    factor: ir.FloatAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate x and out."""
        check_float(self.x, "x")
        check_same_type(self.out, "out", self.x, "x")


class SoftcapOp(LLMOperation, name="softcap", traits=[ext.Pure]):
    """`out = cap * tanh(x / cap)`, element by element in f32.

    Operands: x, any shape, float. Result: x's type.
    Source: Gemma Team, Gemma 2, 2024.
    """

    x: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    cap: ir.FloatAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate x and out, and check the cap."""
        check_float(self.x, "x")
        check_same_type(self.out, "out", self.x, "x")
        require(self.cap.value > 0, f"expected a positive cap, got {self.cap.value}")
