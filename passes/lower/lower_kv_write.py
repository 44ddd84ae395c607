"""lower-kv-write: the update of a paged cache."""

from octavo.dialects.llm import KVWriteOp
from octavo.mlir import arith, ir, tensor
from octavo.passes.lower.build import (
    Body,
    collapse,
    elementwise,
    expand,
    parallel,
    size_of,
    sizes_of,
)
from octavo.passes.lower.iree import materialized_input, scatter
from octavo.passes.lower.scalar import as_i32, axis_index, bounded, finite, i1, i32, integer, less
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-kv-write")
def lower_kv_write(module: ir.Operation) -> int:
    """Turn `llm.kv_write` into a scatter of one row for each head and token, masked where tokens are padding.

    Before:  %new_pool = llm.kv_write(%pool, %new, %table, %start, %lens)
    After:   %lines = linalg.generic { (block * kv_heads + head) * block_size + slot }
             %is_real = linalg.generic { token < lens }
             %new_pool = iree_linalg_ext.scatter ins(%new, %lines, %is_real) outs(%pool)
    """
    return apply_patterns(module, {KVWriteOp.OPERATION_NAME: _kv_write})


def _kv_write(op: KVWriteOp, rewriter: Rewriter) -> bool:
    rows = [[0, 1, 2], [3]]
    new = elementwise([op.new], op.new.type.element_type, finite)
    lines = _per_row(op, op.start, i32(), _line_of(op))
    is_real = _per_row(op, op.lens, i1(), lambda length: less(as_i32(axis_index(1)), length))
    # Fused into the scatter, these would fill a GPU's shared memory; apart, all layers share the last two.
    updates, lines, is_real = map(materialized_input, (collapse(new, rows), lines, is_real))
    written = scatter(updates, lines, is_real, collapse(op.pool, rows))
    rewriter.replace(op, [expand(written, rows, sizes_of(op.pool))])
    return True


def _per_row(op: KVWriteOp, by_batch: ir.Value, element: ir.Type, body: Body) -> ir.Value:
    """One scalar for each row, token and head, `[b * t * heads]`."""
    values = parallel("bth", [(by_batch, "b")], sizes_of(op.new)[:3], element, body)
    return collapse(values, [[0, 1, 2]])


def _line_of(op: KVWriteOp) -> Body:
    """Body from a row's start to the line of the pool that a token's head goes to."""
    _, num_heads, block_size, _ = sizes_of(op.pool)
    num_columns = size_of(op.table, 1)

    def body(start: ir.Value) -> ir.Value:
        b, t, h = map(axis_index, range(3))
        position = arith.addi(start, as_i32(t))
        # Padding may stand past the end of the table: it takes the last block, and is masked out.
        column = bounded(arith.divui(position, integer(block_size)), num_columns)
        line = arith.muli(tensor.extract(op.table, [b, column]), integer(num_heads))
        line = arith.muli(arith.addi(line, as_i32(h)), integer(block_size))
        return arith.addi(line, arith.remui(position, integer(block_size)))

    return body
