"""lift-shape: views, transposes, slices and splits on builtin tensors."""

from collections.abc import Sequence
from typing import Any, TypeVar

from octavo.mlir import ir
from octavo.passes.lift.dynamic_sizes import VIEWS, sizes, view_sizes
from octavo.passes.match import (
    NoMatch,
    builtin_type,
    constant,
    constants,
    definer,
    match_if,
    match_slice,
    pattern,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import (
    DYNAMIC,
    collapse,
    dim,
    expand,
    extract_slice,
    reassociation,
    swap_axes,
    transpose,
)

T = TypeVar("T")


@pattern
def _view(op: Any, rewriter: Rewriter) -> None:
    shape = list(builtin_type(op.results[0].type).shape)
    old, new = sizes(op.operands[0]), view_sizes(op)
    match_if(len(old) != len(new))
    if len(new) < len(old):
        groups = _checked(reassociation(old, new))
        result = collapse(to_builtin(op.operands[0]), shape, groups)
    else:
        groups = _checked(reassociation([_checked(size) for size in new], old))
        source = to_builtin(op.operands[0])
        result = expand(source, shape, groups, _split_sizes(source, shape, groups))
    replace_torch(rewriter, op, [result])


def _checked(found: T | None) -> T:
    if found is None:
        raise NoMatch
    return found


def _split_sizes(
    source: ir.Value, shape: Sequence[int], groups: Sequence[Sequence[int]]
) -> list[ir.Value]:
    """Sizes of the dynamic axes of a split: each is a whole axis of `source`."""
    sizes = []
    for axis, group in enumerate(groups):
        dynamic = [each for each in group if shape[each] == DYNAMIC]
        match_if(len(dynamic) <= 1)
        match_if(not dynamic or all(shape[each] == 1 for each in group if each not in dynamic))
        sizes += [dim(source, axis) for _ in dynamic]
    return sizes


@pattern
def _unsqueeze(op: Any, rewriter: Rewriter) -> None:
    new = list(builtin_type(op.results[0].type).shape)
    source = to_builtin(op.operands[0])
    axis = constant(op.operands[1]) % len(new)
    rank = source.type.rank
    match_if(rank > 0)
    groups = [[each + (each >= axis)] for each in range(rank)]
    groups[min(axis, rank - 1)].append(axis)
    groups = [sorted(group) for group in groups]
    replace_torch(rewriter, op, [expand(source, new, groups, _split_sizes(source, new, groups))])


@pattern
def _transpose(op: Any, rewriter: Rewriter) -> None:
    source = to_builtin(op.operands[0])
    rank = source.type.rank
    first, second = (constant(each) % rank for each in op.operands[1:3])
    replace_torch(rewriter, op, [swap_axes(source, first, second)])


@pattern
def _permute(op: Any, rewriter: Rewriter) -> None:
    source = to_builtin(op.operands[0])
    permutation = [axis % source.type.rank for axis in constants(op.operands[1])]
    replace_torch(rewriter, op, [transpose(source, permutation)])


@pattern
def _slice(op: Any, rewriter: Rewriter) -> None:
    found = match_slice(op.results[0])
    end = _checked(found.end)  # a dynamic axis stays whole
    match_if(end > found.begin)
    size = end - found.begin
    result = extract_slice(to_builtin(found.source), found.axis, found.begin, size)
    replace_torch(rewriter, op, [result])


@pattern
def _split(op: Any, rewriter: Rewriter) -> None:
    """Match the unpacked parts of a split or chunk along a static axis."""
    split = definer(
        op.operands[0],
        "torch.aten.chunk",
        "torch.aten.split.Tensor",
        "torch.aten.split_with_sizes",
        "torch.aten.split.sizes",
    )
    source = to_builtin(split.operands[0])
    axis = constant(split.operands[2]) % source.type.rank
    sizes = [builtin_type(result.type).shape[axis] for result in op.results]
    match_if(source.type.shape[axis] != DYNAMIC and sum(sizes) == source.type.shape[axis])
    offsets = [sum(sizes[:index]) for index in range(len(sizes))]
    parts = [
        extract_slice(source, axis, offset, size)
        for offset, size in zip(offsets, sizes, strict=True)
    ]
    replace_torch(rewriter, op, parts)


@register_pass("lift-shape")
def lift_shape(module: ir.Operation) -> int:
    """Lift views, transposes, slices and splits.

    A view must merge or split neighbouring axes. A dynamic axis is not split or cut.

    Before:
        %v = torch.aten.view %x, [%b, %t, 4, 16]
    After:
        %v = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %t, 4, 16]
    """
    return apply_patterns(
        module,
        {
            **dict.fromkeys(VIEWS, _view),
            "torch.aten.unsqueeze": _unsqueeze,
            "torch.aten.transpose.int": _transpose,
            "torch.aten.permute": _permute,
            "torch.aten.slice.Tensor": _slice,
            "torch.prim.ListUnpack": _split,
        },
    )
