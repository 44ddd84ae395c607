"""lower-paged-attention: attention over the cache's pages."""

from octavo.dialects.llm import PagedAttentionOp
from octavo.dialects.llm.attributes import read_optional
from octavo.mlir import arith, ir, tensor
from octavo.passes.lower.build import collapse, expand, fitted, parallel, size_of, sizes_of
from octavo.passes.lower.iree import gather
from octavo.passes.lower.scalar import (
    LOWEST,
    as_i32,
    axis_index,
    i32,
    integer,
    less,
    real,
)
from octavo.passes.lower.softmax import Scores, attend
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-paged-attention")
def lower_paged_attention(module: ir.Operation) -> int:
    """Turn `llm.paged_attention` into a gather of each row's blocks, and attention over what was gathered.

    Only the blocks of the table are read. Values past a row's end count as 0, so whatever an earlier request
    left in a block, infinities included, does not reach another one's result.

    Before:  %y = llm.paged_attention(%q, %k_pool, %v_pool, %table, %start, %lens)
    After:   %k = linalg.generic { tensor.extract %k_pool[%table[b, m], h, slot, d] }   (%v alike)
             %scores = linalg.generic { sum over d of %q * %k }, masked; softmax; product with %v
    """
    return apply_patterns(module, {PagedAttentionOp.OPERATION_NAME: _paged_attention})


def _paged_attention(op: PagedAttentionOp, rewriter: Rewriter) -> bool:
    batch, tokens, num_heads, head_dim = sizes_of(op.q)
    num_kv_heads = size_of(op.k_pool, 1)
    group = num_heads // num_kv_heads
    split = expand(op.q, [[0], [1], [2, 3], [4]], [batch, tokens, num_kv_heads, group, head_dim])
    q = parallel(
        "bhgtd",
        [(split, "bthgd")],
        [batch, num_kv_heads, group, tokens, head_dim],
        op.q.type.element_type,
        lambda value: value,
    )
    window = read_optional(op.window)

    def mask(score: ir.Value, start: ir.Value, length: ir.Value) -> ir.Value:
        token, key = as_i32(axis_index(3)), as_i32(axis_index(4))
        position = arith.addi(start, token)
        is_seen = arith.andi(less(token, length), arith.cmpi(arith.CmpIPredicate.sle, key, position))
        if window is not None:
            oldest = arith.subi(position, integer(window))
            is_seen = arith.andi(is_seen, less(oldest, key))
        return arith.select(is_seen, score, real(LOWEST))

    how = Scores(op.scale.value, read_optional(op.softcap), mask, [(op.start, "b"), (op.lens, "b")])
    k = _gather(op, op.k_pool)
    v = _gather(op, op.v_pool)
    out = attend(q, k, v, how)
    merged = collapse(out, [[0], [1], [2, 3], [4]])
    rewriter.replace(op, [fitted(merged, op.out.type)])
    return True


def _gather(op: PagedAttentionOp, pool: ir.Value) -> ir.Value:
    """The blocks of each row's table in order, as `[b, kv_heads, m * block_size, d]`."""
    (batch, num_blocks), (_, heads, block_size, width) = sizes_of(op.table), sizes_of(pool)
    rows = collapse(pool, [[0, 1], [2, 3]])

    def line(block: ir.Value) -> ir.Value:
        return arith.addi(arith.muli(block, integer(heads)), as_i32(axis_index(1)))

    lines = parallel("bhm", [(op.table, "bm")], [batch, heads, num_blocks], i32(), line)
    init = tensor.empty([*sizes_of(lines), block_size * width], pool.type.element_type)
    pages = gather(rows, lines, init)
    split = expand(pages, [[0], [1], [2], [3, 4]], [batch, heads, num_blocks, block_size, width])
    return collapse(split, [[0], [1], [2, 3], [4]])
