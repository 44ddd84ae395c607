"""fold-identities: drop torch operations that change nothing."""

from typing import Any

from octavo.mlir import ir
from octavo.passes.match import (
    builtin_type,
    constant,
    definer,
    elements,
    match_if,
    number,
    pattern,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import DYNAMIC

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
    source, axis, begin, end, step = op.operands
    match_if(source.type == op.results[0].type)
    bounds = (constant(begin), constant(step))
    size = builtin_type(source.type).shape[constant(axis)]
    is_whole = constant(end) >= (2**63 - 1 if size == DYNAMIC else size)
    match_if(bounds == (0, 1) and is_whole)
    rewriter.replace(op, [source])


@pattern
def _drop_empty_parts(op: Any, rewriter: Rewriter) -> None:
    parts = [part for part in elements(op.operands[0]) if 0 not in builtin_type(part.type).shape]
    match_if(len(parts) == 1 and parts[0].type == op.results[0].type)
    rewriter.replace(op, parts)


@pattern
def _drop_same_view(op: Any, rewriter: Rewriter) -> None:
    source = op.operands[0]
    match_if(source.type == op.results[0].type)
    match_if(keeps_dynamic_order(op))
    rewriter.replace(op, [source])


def keeps_dynamic_order(view: Any) -> bool:
    """Whether the dynamic sizes that a view asks for are in the order of its source's axes.

    Two dynamic sizes look alike in the types; a view that exchanges them moves data between rows.
    """
    shape = builtin_type(view.results[0].type).shape
    sizes = elements(view.operands[1])
    axes = []
    for size, wanted in zip(shape, sizes, strict=True):
        owner = definer(wanted)
        if size == DYNAMIC and owner.name == "torch.aten.size.int":
            axes.append(constant(owner.operands[1]))
    return axes == sorted(set(axes))


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
            "torch.aten.view": _drop_same_view,
            "torch.aten.reshape": _drop_same_view,
        },
    )
