"""lower-paged-attention: attention over the pages of the cache."""

from octavo.dialects.llm import PagedAttentionOp
from octavo.dialects.llm.attributes import read_optional
from octavo.mlir import arith, ir, tensor
from octavo.passes.lower.build import (
    Size,
    collapse,
    expand,
    fitted,
    parallel,
    product,
    sizes_of,
)
from octavo.passes.lower.iree import materialized_result
from octavo.passes.lower.scalar import (
    LOWEST,
    as_i32,
    as_index,
    axis_index,
    integer,
    less,
    not_above,
    real,
    zero,
)
from octavo.passes.lower.softmax import KEY_AXIS, QUERY_AXIS, Scores, attend
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-paged-attention")
def lower_paged_attention(module: ir.Operation) -> int:
    """Turn `llm.paged_attention` into a gather of each row's blocks, and attention over what was gathered.

    Only blocks of the table are read: the cost of a step follows the table's width, not the pool's size.

    Before:  %y = llm.paged_attention(%q, %k_pool, %v_pool, %table, %start, %lens)
    After:   %k = linalg.generic { tensor.extract %k_pool[%table[b, m], h, place] }   (%v alike)
             %scores = linalg.generic { sum over d of %q * %k }, scaled and masked; softmax; product with %v
    """
    return apply_patterns(module, {PagedAttentionOp.OPERATION_NAME: _paged_attention})


def _paged_attention(op: PagedAttentionOp, rewriter: Rewriter) -> bool:
    batch, tokens, num_heads, head_dim = sizes_of(op.q)
    _, num_kv_heads, block_size, value_dim = sizes_of(op.v_pool)
    group = num_heads // num_kv_heads
    num_keys = product([sizes_of(op.table)[1], block_size])
    bounds = [batch, num_kv_heads, group, tokens, num_keys, head_dim, value_dim]
    sizes = dict(zip("bhgtsde", bounds, strict=True))
    heads = [[0], [1], [2, 3], [4]]
    q = expand(op.q, heads, [batch, tokens, num_kv_heads, group, head_dim])
    k, v = (_gathered(op.table, pool) for pool in (op.k_pool, op.v_pool))
    out = attend((_by_head(q, sizes), "bhgtd"), (k, "bhsd"), (v, "bhse"), sizes, _how(op))
    rewriter.replace(op, [fitted(collapse(out, heads), op.out.type)])
    return True


def _by_head(q: ir.Value, sizes: dict[str, Size]) -> ir.Value:
    """Queries with the tokens of a head side by side, as the product with keys reads them."""
    shape = [sizes[axis] for axis in "bhgtd"]
    return parallel("bhgtd", [(q, "bthgd")], shape, q.type.element_type, lambda value: value)


def _gathered(table: ir.Value, pool: ir.Value) -> ir.Value:
    """The blocks of each row's table in order, as `[b, kv_heads, m * block_size, d]`."""
    (batch, num_columns), (_, heads, block_size, width) = sizes_of(table), sizes_of(pool)
    lines = collapse(pool, [[0], [1], [2, 3]])

    def entry(given: ir.Value) -> ir.Value:
        b, h, m, place = map(axis_index, range(4))
        # Read here and not taken from the input, the id counts as fixed along a line, and IREE's CPU code
        # copies the line whole. The input is used all the same: it keeps IREE from merging the loops.
        block = as_index(tensor.extract(table, [b, m]))
        value = tensor.extract(lines, [block, h, place])
        is_block = not_above(integer(0), given)
        return arith.select(is_block, value, zero(value.type))

    shape = [batch, heads, num_columns, block_size * width]
    copied = parallel("bhmp", [(table, "bm")], shape, pool.type.element_type, entry)
    # Reshapes that moved into the loop would split the line.
    pages = expand(
        materialized_result(copied),
        [[0], [1], [2], [3, 4]],
        [batch, heads, num_columns, block_size, width],
    )
    return collapse(pages, [[0], [1], [2, 3], [4]])


def _how(op: PagedAttentionOp) -> Scores:
    window = read_optional(op.window)

    def mask(score: ir.Value, start: ir.Value, length: ir.Value) -> ir.Value:
        token, key = as_i32(axis_index(QUERY_AXIS)), as_i32(axis_index(KEY_AXIS))
        position = arith.addi(start, token)
        is_seen = arith.andi(less(token, length), not_above(key, position))
        if window is not None:
            is_seen = arith.andi(is_seen, less(arith.subi(position, integer(int(window))), key))
        return arith.select(is_seen, score, real(LOWEST))

    inputs = [(op.start, "b"), (op.lens, "b")]
    return Scores(op.scale.value, read_optional(op.softcap), mask, inputs)
