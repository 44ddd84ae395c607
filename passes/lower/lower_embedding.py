"""lower-embedding: the lookup of token embeddings."""

from octavo.dialects.llm import EmbeddingOp
from octavo.mlir import ir, tensor
from octavo.passes.lower.build import axes_of, fitted, parallel, sizes_of
from octavo.passes.lower.scalar import axis_index, bounded
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-embedding")
def lower_embedding(module: ir.Operation) -> int:
    """Turn `llm.embedding` into a gather of rows; an id outside the table reads its nearest row.

    Before:  %x = llm.embedding(%table, %ids)
    After:   %x = linalg.generic { tensor.extract %table[clamp(id), n] }
    """
    return apply_patterns(module, {EmbeddingOp.OPERATION_NAME: _embedding})


def _embedding(op: EmbeddingOp, rewriter: Rewriter) -> bool:
    rows, width = sizes_of(op.table)
    axes = axes_of(op.out)

    def body(token: ir.Value) -> ir.Value:
        return tensor.extract(op.table, [bounded(token, rows), axis_index(len(axes) - 1)])

    sizes = [*sizes_of(op.ids), width]
    element = op.table.type.element_type
    out = parallel(axes, [(op.ids, axes[:-1])], sizes, element, body)
    rewriter.replace(op, [fitted(out, op.out.type)])
    return True
