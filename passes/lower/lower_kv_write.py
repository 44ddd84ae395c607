"""lower-kv-write: the update of a paged cache."""

from octavo.dialects.llm import KVWriteOp
from octavo.mlir import arith, ir, tensor
from octavo.passes.lower.build import Body, collapse, expand, parallel, size_of, sizes_of
from octavo.passes.lower.iree import scatter
from octavo.passes.lower.scalar import as_i32, axis_index, bounded, i32, integer, less
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-kv-write")
def lower_kv_write(module: ir.Operation) -> int:
    """Turn `llm.kv_write` into a scatter of rows of one head and token each, masked where tokens are padding.

    Before:  %new_pool = llm.kv_write(%pool, %new, %table, %start, %lens)
    After:   %rows = linalg.generic { (block * kv_heads + head) * block_size + slot }
             %real = linalg.generic { token < lens }
             %new_pool = iree_linalg_ext.scatter ins(%new, %rows, %real) outs(%pool)
    """
    return apply_patterns(module, {KVWriteOp.OPERATION_NAME: _kv_write})


def _kv_write(op: KVWriteOp, rewriter: Rewriter) -> bool:
    pool_sizes, (batch, tokens, heads, _) = sizes_of(op.pool), sizes_of(op.new)
    _, num_heads, block_size, _ = pool_sizes

    def row(start: ir.Value) -> ir.Value:
        b, t, h = map(axis_index, range(3))
        position = arith.addi(start, as_i32(t))
        # A padded token may stand past the row's table: it reads some block there, and is masked out.
        place = bounded(arith.divui(position, integer(block_size)), size_of(op.table, 1))
        slot = arith.remui(position, integer(block_size))
        block = tensor.extract(op.table, [b, place])
        line = arith.addi(arith.muli(block, integer(num_heads)), as_i32(h))
        return arith.addi(arith.muli(line, integer(block_size)), slot)

    def is_real(length: ir.Value) -> ir.Value:
        return less(as_i32(axis_index(1)), length)

    def per_row(value: ir.Value, element: ir.Type, body: Body) -> ir.Value:
        table = parallel("bth", [(value, "b")], [batch, tokens, heads], element, body)
        return collapse(table, [[0, 1, 2]])

    updates = collapse(op.new, [[0, 1, 2], [3]])
    mask = per_row(op.lens, ir.IntegerType.get_signless(1), is_real)
    lines = collapse(op.pool, [[0, 1, 2], [3]])
    written = scatter(updates, per_row(op.start, i32(), row), mask, lines)
    rewriter.replace(op, [expand(written, [[0, 1, 2], [3]], pool_sizes)])
    return True
