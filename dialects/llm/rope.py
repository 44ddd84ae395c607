"""Rotary position embedding."""

from octavo.dialects.base import require
from octavo.dialects.llm.attributes import check_choice
from octavo.dialects.llm.dialect import LLMOperation
from octavo.dialects.llm.shapes import (
    DYNAMIC,
    check_element_type,
    check_float,
    check_i32,
    check_rank,
    check_row_vector,
    check_same_type,
    check_shape,
    shape_of,
)
from octavo.mlir import ext, ir

ROPE_STYLES = ("neox", "interleaved")


class PositionsOp(LLMOperation, name="positions", traits=[ext.Pure]):
    """`out[b, t] = start[b] + t` where `t < lens[b]`, else 0: where each token of a step stands.

    Operands:
        tokens: `[b, t]`, i32; only its shape is read.
        start: `[b]`, i32, tokens of each row that are cached already.
        lens: `[b]`, i32, new tokens of each row.
    Result: `[b, t]`, i32.
    """

    tokens: ext.Operand[ir.RankedTensorType]
    start: ext.Operand[ir.RankedTensorType]
    lens: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]

    def check(self) -> None:
        """Relate tokens, start, lens and out."""
        check_rank(self.tokens, "tokens", 2, "[b, t]")
        check_i32(self.tokens, "tokens")
        check_row_vector(self.start, "start", shape_of(self.tokens)[0])
        check_row_vector(self.lens, "lens", shape_of(self.tokens)[0])
        check_same_type(self.out, "out", self.tokens, "tokens")


class RopeTableOp(LLMOperation, name="rope_table", traits=[ext.Pure]):
    """`cos, sin = scaling * cos(p f), scaling * sin(p f)` for each position p and frequency f, in f32.

    Operands:
        positions: `[b, t]`, i32.
        inv_freq: `[r]`, f32; the scaled frequencies of whatever rope type the model's config names.
    Results: `cos` and `sin`, `[b, t, r]`, f32.
    Attributes:
        scaling: attention factor of YaRN and LongRoPE; 1.0 otherwise.
    """

    positions: ext.Operand[ir.RankedTensorType]
    inv_freq: ext.Operand[ir.RankedTensorType]
    cos: ext.Result[ir.RankedTensorType]
    sin: ext.Result[ir.RankedTensorType]
    scaling: ir.FloatAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate positions, inv_freq, cos and sin."""
        check_rank(self.positions, "positions", 2, "[b, t]")
        check_i32(self.positions, "positions")
        check_rank(self.inv_freq, "inv_freq", 1, "[r]")
        check_element_type(self.inv_freq, "inv_freq", ir.F32Type.get())
        table = [*shape_of(self.positions), *shape_of(self.inv_freq)]
        for name, value in (("cos", self.cos), ("sin", self.sin)):
            check_shape(value, name, table)
            check_element_type(value, name, ir.F32Type.get())


class RopeOp(LLMOperation, name="rope", traits=[ext.Pure]):
    """Rotate pairs of each head's first `2r` values by the tables' angles; leave the rest as it is.

    `(a, b) -> (a cos - b sin, b cos + a sin)`, where pair i is values `(i, i + r)` in style `neox` and
    `(2i, 2i + 1)` in style `interleaved`. Computed in f32.

    Operands:
        x: `[b, t, heads, d]`, float, `d >= 2r`.
        cos, sin: `[b, t, r]`, f32, from `llm.rope_table`.
    Result: x's type.
    Source: Su et al., RoFormer, 2021; the two styles are GPT-NeoX's and GPT-J's.
    """

    x: ext.Operand[ir.RankedTensorType]
    cos: ext.Operand[ir.RankedTensorType]
    sin: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    style: ir.StringAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate x, the tables and out."""
        check_rank(self.x, "x", 4, "[b, t, heads, d]")
        check_float(self.x, "x")
        check_rank(self.cos, "cos", 3, "[b, t, r]")
        batch, tokens, _, head_dim = shape_of(self.x)
        rotated = shape_of(self.cos)[-1]
        check_shape(self.cos, "cos", [batch, tokens, rotated])
        check_same_type(self.sin, "sin", self.cos, "cos")
        check_element_type(self.cos, "cos", ir.F32Type.get())
        is_known = DYNAMIC not in (rotated, head_dim)
        require(is_known, "expected static sizes of a head and of the rope table")
        require(
            2 * rotated <= head_dim,
            f"expected at most {head_dim // 2} frequencies for heads of {head_dim}, got {rotated}",
        )
        check_same_type(self.out, "out", self.x, "x")
        check_choice(self.style, "style", ROPE_STYLES)
