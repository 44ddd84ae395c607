"""Products with weights, the embedding lookup, and the head."""

from octavo.dialects.base import require
from octavo.dialects.llm.dialect import LLMOperation
from octavo.dialects.llm.shapes import (
    check_float,
    check_i32,
    check_min_rank,
    check_rank,
    check_row_vector,
    check_same_element_type,
    check_same_type,
    check_shape,
    shape_of,
)
from octavo.errors import VerifyError
from octavo.mlir import ext, ir


class WeightOp(LLMOperation, name="weight", traits=[ext.Pure]):
    """A parameter of the model, by its name in the weight archive. Values never enter the IR.

    Attributes:
        key: the tensor's name in the archive, which is its name in the checkpoint.
    """

    out: ext.Result[ir.RankedTensorType]
    key: ir.StringAttr = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Require a name and a static shape."""
        require(bool(self.key.value), "expected a non-empty key")
        if not self.out.type.has_static_shape:
            raise VerifyError(f"expected a static shape, got {self.out.type}")


class EmbeddingOp(LLMOperation, name="embedding", traits=[ext.Pure]):
    """`out[i, :] = table[ids[i], :]`. An id outside the table reads its nearest row.

    Operands:
        table: `[vocab, n]`.
        ids: `[...]`, i32.
    Result: `[..., n]`, table's element type.
    """

    table: ext.Operand[ir.RankedTensorType]
    ids: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]

    def check(self) -> None:
        """Relate table, ids and out."""
        check_rank(self.table, "table", 2, "[vocab, n]")
        check_i32(self.ids, "ids")
        check_shape(self.out, "out", [*shape_of(self.ids), shape_of(self.table)[1]])
        check_same_element_type(self.out, "out", self.table, "table")


class LinearOp(LLMOperation, name="linear", traits=[ext.Pure]):
    """`out = x weight^T (+ bias) (+ residual)`, accumulated in f32.

    Operands:
        x: `[..., k]`, float.
        weight: `[n, k]`, float.
        bias: `[n]`, float, optional.
        residual: `[..., n]`, optional, of out's type.
    Result: `[..., n]`, float.
    """

    x: ext.Operand[ir.RankedTensorType]
    weight: ext.Operand[ir.RankedTensorType]
    bias: ext.Operand[ir.RankedTensorType] | None
    residual: ext.Operand[ir.RankedTensorType] | None
    out: ext.Result[ir.RankedTensorType]

    def check(self) -> None:
        """Relate x, weight, bias, residual and out."""
        check_min_rank(self.x, "x", 1)
        check_float(self.x, "x")
        check_rank(self.weight, "weight", 2, "[n, k]")
        check_float(self.weight, "weight")
        n, k = shape_of(self.weight)
        *rows, _ = shape_of(self.x)
        check_shape(self.x, "x", [*rows, k])
        check_shape(self.out, "out", [*rows, n])
        check_float(self.out, "out")
        if self.bias is not None:
            check_shape(self.bias, "bias", [n])
            check_float(self.bias, "bias")
        if self.residual is not None:
            check_same_type(self.residual, "residual", self.out, "out")


class LogitsOp(LLMOperation, name="logits", traits=[ext.Pure]):
    """`out[b] = x[b, lens[b] - 1] weight^T (+ bias)`: scores after each row's last token; 0 on idle rows.

    Operands:
        x: `[b, t, k]`, float.
        weight: `[vocab, k]`, float.
        bias: `[vocab]`, float, optional.
        lens: `[b]`, i32, tokens of each row; 0 marks an idle row.
    Result: `[b, vocab]`, float.
    """

    x: ext.Operand[ir.RankedTensorType]
    weight: ext.Operand[ir.RankedTensorType]
    bias: ext.Operand[ir.RankedTensorType] | None
    lens: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]

    def check(self) -> None:
        """Relate x, weight, bias, lens and out."""
        check_rank(self.x, "x", 3, "[b, t, k]")
        check_float(self.x, "x")
        check_rank(self.weight, "weight", 2, "[vocab, k]")
        check_float(self.weight, "weight")
        vocab, k = shape_of(self.weight)
        batch, tokens, _ = shape_of(self.x)
        check_shape(self.x, "x", [batch, tokens, k])
        if self.bias is not None:
            check_shape(self.bias, "bias", [vocab])
            check_float(self.bias, "bias")
        check_row_vector(self.lens, "lens", batch)
        check_shape(self.out, "out", [batch, vocab])
        check_float(self.out, "out")


class LastTokenOp(LLMOperation, name="last_token", traits=[ext.Pure]):
    """`out[b] = x[b, lens[b] - 1]`: the row of each sequence's last token; 0 on idle rows.

    Operands:
        x: `[b, t, ...]`, float.
        lens: `[b]`, i32, tokens of each row; 0 marks an idle row.
    Result: `[b, ...]`, x's element type.
    """

    x: ext.Operand[ir.RankedTensorType]
    lens: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]

    def check(self) -> None:
        """Relate x, lens and out."""
        check_min_rank(self.x, "x", 2)
        check_float(self.x, "x")
        batch, _, *rest = shape_of(self.x)
        check_row_vector(self.lens, "lens", batch)
        check_shape(self.out, "out", [batch, *rest])
        check_same_element_type(self.out, "out", self.x, "x")
