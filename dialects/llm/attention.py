"""Attention, stateless and over the paged cache, and the cache's update."""

from typing import Any

from octavo.dialects.base import require
from octavo.dialects.llm.attributes import check_optional_positive
from octavo.dialects.llm.dialect import LLMOperation
from octavo.dialects.llm.shapes import (
    DYNAMIC,
    check_float,
    check_i32,
    check_rank,
    check_row_vector,
    check_same_element_type,
    check_same_type,
    check_shape,
    element_type_of,
    shape_of,
)
from octavo.mlir import ext, ir


def _check_heads(q: ir.Value, num_kv_heads: int) -> None:
    num_heads = shape_of(q)[2]
    is_known = DYNAMIC not in (num_heads, num_kv_heads)
    require(is_known, "expected static numbers of heads")
    require(
        num_heads % num_kv_heads == 0,
        f"expected query heads to be a multiple of the {num_kv_heads} key-value heads, got {num_heads}",
    )


def _check_scores(op: Any) -> None:
    require(op.scale.value > 0, f"expected a positive scale, got {op.scale.value}")
    check_optional_positive(op.window, "window", ir.IntegerAttr)
    check_optional_positive(op.softcap, "softcap", ir.FloatAttr)


def _check_out(out: ir.Value, q: ir.Value, value_dim: int) -> None:
    check_shape(out, "out", [*shape_of(q)[:3], value_dim])
    check_same_element_type(out, "out", q, "q")


def _check_mask(mask: ir.Value, q: ir.Value, num_keys: int) -> None:
    check_rank(mask, "mask", 4, "[b | 1, heads | 1, t, s]")
    batch, tokens, num_heads, _ = shape_of(q)
    mask_batch, mask_heads = (
        1 if size == 1 else full
        for size, full in zip(shape_of(mask)[:2], (batch, num_heads), strict=True)
    )
    check_shape(mask, "mask", [mask_batch, mask_heads, tokens, num_keys])
    element = element_type_of(mask)
    is_known = isinstance(element, ir.FloatType) or element == ir.IntegerType.get_signless(1)
    require(is_known, f"expected mask of element type i1 or a float, got {element}")


class AttentionOp(LLMOperation, name="attention", traits=[ext.Pure]):
    """`out = softmax(softcap(scale q k^T) + mask) v`, without a cache; softmax in f32.

    Query head h reads key-value head `h // (heads / kv_heads)`. Token i of `t` queries stands at position
    `i + s - t` of `s` keys. With `causal`, it sees keys up to its own position; with `window` w, only the
    last w of those; `softcap` c replaces a score x by `c tanh(x / c)`. A key whose score a float mask brings
    to the least finite f32 or below is not seen either. A query that sees nothing gives 0.

    Operands:
        q: `[b, t, heads, d]`, float.
        k: `[b, s, kv_heads, d]`, v: `[b, s, kv_heads, dv]`.
        mask: `[b | 1, heads | 1, t, s]`, optional: i1 (true is seen) or float (added to the scores).
    Result: `[b, t, heads, dv]`.
    Source: Vaswani et al., 2017; Ainslie et al., GQA, 2023; Gemma 2 (softcap); Mistral (window).
    """

    q: ext.Operand[ir.RankedTensorType]
    k: ext.Operand[ir.RankedTensorType]
    v: ext.Operand[ir.RankedTensorType]
    mask: ext.Operand[ir.RankedTensorType] | None
    out: ext.Result[ir.RankedTensorType]
    scale: ir.FloatAttr = ext.attribute(kw_only=True)
    causal: ir.IntegerAttr = ext.attribute(kw_only=True)
    window: Any = ext.attribute(kw_only=True)
    softcap: Any = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate q, k, v, mask and out, and the attributes to each other."""
        for name in ("q", "k", "v"):
            check_rank(getattr(self, name), name, 4, "[b, tokens, heads, d]")
            check_float(getattr(self, name), name)
        batch, _, _, head_dim = shape_of(self.q)
        _, num_keys, num_kv_heads, _ = shape_of(self.k)
        value_dim = shape_of(self.v)[3]
        check_shape(self.k, "k", [batch, num_keys, num_kv_heads, head_dim])
        check_shape(self.v, "v", [batch, num_keys, num_kv_heads, value_dim])
        _check_heads(self.q, num_kv_heads)
        _check_scores(self)
        has_window = isinstance(self.window, ir.IntegerAttr)
        require(bool(self.causal.value) or not has_window, "expected causal = true with a window")
        if self.mask is not None:
            _check_mask(self.mask, self.q, num_keys)
        _check_out(self.out, self.q, value_dim)


def _check_pool(pool: ir.Value, name: str) -> None:
    check_rank(pool, name, 4, "[blocks, kv_heads, block_size, d]")
    check_float(pool, name)
    require(DYNAMIC not in shape_of(pool)[1:], f"expected static sizes in {name} after the blocks")


def _check_step(table: ir.Value, start: ir.Value, lens: ir.Value, batch: int) -> None:
    check_rank(table, "table", 2, "[b, blocks of a row]")
    check_shape(table, "table", [batch, shape_of(table)[1]])
    check_i32(table, "table")
    check_row_vector(start, "start", batch)
    check_row_vector(lens, "lens", batch)


class KVWriteOp(LLMOperation, name="kv_write", traits=[ext.Pure]):
    """Write a step's keys or values into their slots of a paged pool and return the updated pool.

    Token t of row b goes to block `table[b, p / block_size]`, slot `p % block_size`, with
    `p = start[b] + t`, when `t < lens[b]`; the other tokens of the step are padding and write nothing.
    What is written is finite: infinities become the greatest numbers, NaN the positive one. Blocks pass from
    request to request, and attention multiplies what it masks by 0: one request's infinity would be
    another's NaN.

    Operands:
        pool: `[blocks, kv_heads, block_size, d]`, float.
        new: `[b, t, kv_heads, d]`, pool's element type.
        table: `[b, m]`, i32, the block ids of each row in order.
        start, lens: `[b]`, i32, cached and new tokens of each row.
    Result: the pool's type.
    Source: Kwon et al., PagedAttention, 2023.
    """

    pool: ext.Operand[ir.RankedTensorType]
    new: ext.Operand[ir.RankedTensorType]
    table: ext.Operand[ir.RankedTensorType]
    start: ext.Operand[ir.RankedTensorType]
    lens: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]

    def check(self) -> None:
        """Relate the pool, the new values, the table and the row vectors."""
        _check_pool(self.pool, "pool")
        check_rank(self.new, "new", 4, "[b, t, kv_heads, d]")
        batch, tokens = shape_of(self.new)[:2]
        _, num_kv_heads, _, head_dim = shape_of(self.pool)
        check_shape(self.new, "new", [batch, tokens, num_kv_heads, head_dim])
        check_same_element_type(self.new, "new", self.pool, "pool")
        _check_step(self.table, self.start, self.lens, batch)
        check_same_type(self.out, "out", self.pool, "pool")


class PagedAttentionOp(LLMOperation, name="paged_attention", traits=[ext.Pure]):
    """Causal attention of a step's queries over the cached keys and values; softmax in f32.

    Query t of row b stands at `p = start[b] + t` and sees keys `0..p` (the last `window` of them) through
    the row's block table. Padded queries (`t >= lens[b]`) and idle rows give 0. `softcap` as in
    `llm.attention`.

    Operands:
        q: `[b, t, heads, d]`, float.
        k_pool: `[blocks, kv_heads, block_size, d]`, v_pool: `[blocks, kv_heads, block_size, dv]`; the step's
            own keys and values are in them already.
        table: `[b, m]`, i32. start, lens: `[b]`, i32.
    Result: `[b, t, heads, dv]`.
    Source: Kwon et al., PagedAttention, 2023.
    """

    q: ext.Operand[ir.RankedTensorType]
    k_pool: ext.Operand[ir.RankedTensorType]
    v_pool: ext.Operand[ir.RankedTensorType]
    table: ext.Operand[ir.RankedTensorType]
    start: ext.Operand[ir.RankedTensorType]
    lens: ext.Operand[ir.RankedTensorType]
    out: ext.Result[ir.RankedTensorType]
    scale: ir.FloatAttr = ext.attribute(kw_only=True)
    window: Any = ext.attribute(kw_only=True)
    softcap: Any = ext.attribute(kw_only=True)

    def check(self) -> None:
        """Relate the queries, the pools, the table and the row vectors."""
        check_rank(self.q, "q", 4, "[b, t, heads, d]")
        check_float(self.q, "q")
        _check_pool(self.k_pool, "k_pool")
        _check_pool(self.v_pool, "v_pool")
        batch, _, _, head_dim = shape_of(self.q)
        num_blocks, num_kv_heads, block_size, _ = shape_of(self.k_pool)
        value_dim = shape_of(self.v_pool)[3]
        check_shape(self.k_pool, "k_pool", [num_blocks, num_kv_heads, block_size, head_dim])
        check_shape(self.v_pool, "v_pool", [num_blocks, num_kv_heads, block_size, value_dim])
        _check_heads(self.q, num_kv_heads)
        _check_scores(self)
        _check_step(self.table, self.start, self.lens, batch)
        _check_out(self.out, self.q, value_dim)
