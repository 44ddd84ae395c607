"""fold-identities: drop torch operations that change nothing."""

from typing import Any

from octavo.mlir import ir
from octavo.passes.lift.dynamic_sizes import VIEWS, sizes, view_sizes
from octavo.passes.match import (
    builtin_type,
    constant,
    elements,
    match_if,
    match_slice,
    number,
    pattern,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns

_SAME_TYPE = (
    "torch.aten.to.dtype",
    "torch.aten.to.device",
    "torch.aten.to.dtype_layout",
    "torch.aten._to_copy",
    "torch.aten.type_as",
    "torch.aten.contiguous",
    "torch.aten.clone",
    "torch.aten.alias",
    "torch.aten.detach",
    "torch.aten.expand",
)


@pattern
def _drop_assertion(op: Any, rewriter: Rewriter) -> None:
    rewriter.erase(op)


@pattern
def _drop_same_type(op: Any, rewriter: Rewriter) -> None:
    match_if(op.operands[0].type == op.results[0].type)
    rewriter.replace(op, [op.operands[0]])


@pattern
def _drop_dropout(op: Any, rewriter: Rewriter) -> None:
    match_if(constant(op.operands[2]) is False)
    rewriter.replace(op, [op.operands[0]])


@pattern
def _drop_unit_factor(op: Any, rewriter: Rewriter) -> None:
    match_if(op.operands[0].type == op.results[0].type and number(op.operands[1]) == 1.0)
    rewriter.replace(op, [op.operands[0]])


@pattern
def _drop_whole_slice(op: Any, rewriter: Rewriter) -> None:
    found = match_slice(op.results[0])
    match_if(found.begin == 0 and found.source.type == op.results[0].type)
    rewriter.replace(op, [found.source])


@pattern
def _drop_empty_parts(op: Any, rewriter: Rewriter) -> None:
    parts = [part for part in elements(op.operands[0]) if 0 not in builtin_type(part.type).shape]
    match_if(len(parts) == 1 and parts[0].type == op.results[0].type)
    rewriter.replace(op, parts)


@pattern
def _drop_same_view(op: Any, rewriter: Rewriter) -> None:
    source = op.operands[0]
    match_if(source.type == op.results[0].type)
    match_if(view_sizes(op) == sizes(source))
    rewriter.replace(op, [source])


@register_pass("fold-identities")
def fold_identities(module: ir.Operation) -> int:
    """Drop torch operations that change nothing in inference: casts to the same type, dropout, whole slices.

    Before:
        %1 = torch.aten.to.dtype %0, ... : !torch.vtensor<[?,8],f32> -> !torch.vtensor<[?,8],f32>
        %2 = torch.aten.dropout %1, %p, %false
    After:
        (uses of %2 read %0)
    """
    patterns = {name: _drop_same_type for name in _SAME_TYPE}
    return apply_patterns(
        module,
        {
            **patterns,
            "torch.aten._assert_tensor_metadata": _drop_assertion,
            "torch.aten.dropout": _drop_dropout,
            "torch.aten.mul.Scalar": _drop_unit_factor,
            "torch.aten.slice.Tensor": _drop_whole_slice,
            "torch.aten.cat": _drop_empty_parts,
            **dict.fromkeys(VIEWS, _drop_same_view),
        },
    )
