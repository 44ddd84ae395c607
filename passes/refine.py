"""Shape propagation: give a function's arguments static sizes and carry them through its body.

Each operation gets the result shapes that follow from its operands. `llm` and element-wise operations keep
their form, only types change; shape operations of the tensor dialect are built anew, since their sizes are
part of the operation.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.functions import only_block, terminator
from octavo.passes.origin import origin, unlifted_report
from octavo.passes.tensor_ops import (
    DYNAMIC,
    collapse,
    dim,
    expand,
    extract_slice,
    transpose,
)

Shape = list[int]

# The target of a transpose: building the transpose anew makes another, and nobody reads this one.
_LEFT_BEHIND = ("tensor.empty",)


def refine_function(function: ir.Operation, argument_types: Sequence[ir.Type]) -> None:
    """Give `function` arguments of `argument_types` and propagate their shapes to its results.

    Raises:
        PassError: an operation has no shape rule and a result with a dynamic axis.
    """
    block = only_block(function)
    for argument, type_ in zip(block.arguments, argument_types, strict=True):
        argument.set_type(type_)
    _check_rules([op.operation for op in block.operations])
    for op in list(block.operations):
        _refine(op.operation)
    results = [value.type for value in terminator(block).operands]
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(list(argument_types), results)
    )


def _refine(op: ir.Operation) -> None:
    if op.name in _REBUILD:
        with ir.InsertionPoint(op), op.location:
            value = _REBUILD[op.name](op)
        op.results[0].replace_all_uses_with(value)
        op.erase()
    elif op.name in _SHAPES:
        for result, shape in zip(op.results, _SHAPES[op.name](op), strict=True):
            result.set_type(ir.RankedTensorType.get(shape, result.type.element_type))


def _check_rules(ops: Sequence[ir.Operation]) -> None:
    """Raise unless there is a rule for every operation; name the torch operations that have none."""
    known = {*_REBUILD, *_SHAPES, *_LEFT_BEHIND}
    unknown = [op for op in ops if op.name not in known and _has_dynamic_result(op)]
    if not unknown:
        return
    # One torch operation becomes several, and each layer has it again.
    origins = dict.fromkeys(each for op in unknown if (each := origin(op)) is not None)
    if origins:
        raise PassError(
            "a step of fixed sizes takes operations that were lifted, and what torch-mlir makes of others "
            f"has no shape rule: {unlifted_report(origins)}"
        )
    op = unknown[0]
    raise PassError(
        f"no shape rule for '{op.name}' at {op.location}: its result {op.results[0].type} has a dynamic "
        "axis, which a function of fixed sizes cannot keep."
    )


def _has_dynamic_result(op: ir.Operation) -> bool:
    types = [result.type for result in op.results]
    return any(
        isinstance(type_, ir.RankedTensorType) and not type_.has_static_shape for type_ in types
    )


def _shape(op: ir.Operation, index: int) -> Shape:
    return list(op.operands[index].type.shape)


def _like_first(op: ir.Operation) -> list[Shape]:
    return [_shape(op, 0)] * len(op.results)


def _last_token(op: ir.Operation) -> list[Shape]:
    batch, _, *rest = _shape(op, 0)
    return [[batch, *rest]]


_SHAPES: dict[str, Callable[[ir.Operation], list[Shape]]] = {
    "llm.linear": lambda op: [[*_shape(op, 0)[:-1], _shape(op, 1)[0]]],
    "llm.embedding": lambda op: [[*_shape(op, 1), _shape(op, 0)[1]]],
    "llm.logits": lambda op: [[_shape(op, 0)[0], _shape(op, 1)[0]]],
    "llm.last_token": _last_token,
    "llm.rope_table": lambda op: [[*_shape(op, 0), *_shape(op, 1)]] * 2,
    "llm.attention": lambda op: [[*_shape(op, 0)[:3], _shape(op, 2)[3]]],
    "llm.paged_attention": lambda op: [[*_shape(op, 0)[:3], _shape(op, 2)[3]]],
    **dict.fromkeys(
        (
            "llm.positions",
            "llm.rms_norm",
            "llm.add_rms_norm",
            "llm.layer_norm",
            "llm.rope",
            "llm.kv_write",
            "llm.activation",
            "llm.swiglu",
            "llm.geglu",
            "llm.scale",
            "llm.softcap",
            "arith.addf",
            "arith.subf",
            "arith.mulf",
            "arith.extf",
            "arith.truncf",
            "arith.trunci",
        ),
        _like_first,
    ),
}


def _dim(op: ir.Operation) -> ir.Value:
    axis_op = op.operands[1].owner
    axis = ir.IntegerAttr(axis_op.attributes["value"]).value
    return dim(op.operands[0], axis)


def _transpose(op: ir.Operation) -> ir.Value:
    return transpose(op.operands[0], list(ir.DenseI64ArrayAttr(op.attributes["permutation"])))


def _groups(op: ir.Operation) -> list[list[int]]:
    groups = ir.ArrayAttr(op.attributes["reassociation"])
    return [[ir.IntegerAttr(axis).value for axis in ir.ArrayAttr(group)] for group in groups]


def _expand(op: ir.Operation) -> ir.Value:
    """A dynamic axis is a whole axis of the source: see `lift-shape`."""
    source = op.operands[0]
    groups = _groups(op)
    shape = list(op.results[0].type.shape)
    dynamic_sizes = []
    for axis, group in enumerate(groups):
        for each in group:
            if shape[each] == DYNAMIC:
                shape[each] = source.type.shape[axis]
                dynamic_sizes += [dim(source, axis)] if shape[each] == DYNAMIC else []
    return expand(source, shape, groups, dynamic_sizes)


def _collapse(op: ir.Operation) -> ir.Value:
    groups = _groups(op)
    source = _shape(op, 0)
    return collapse(
        op.operands[0], [_product([source[axis] for axis in group]) for group in groups], groups
    )


def _product(sizes: Sequence[int]) -> int:
    if DYNAMIC in sizes:
        return DYNAMIC
    return int(math.prod(sizes))


def _extract_slice(op: ir.Operation) -> ir.Value:
    """A slice of one static axis that keeps every other axis whole: see `lift-shape`."""
    offsets, sizes, strides = (
        list(ir.DenseI64ArrayAttr(op.attributes[name]))
        for name in ("static_offsets", "static_sizes", "static_strides")
    )
    source = _shape(op, 0)
    cut = [axis for axis, size in enumerate(sizes) if size not in (DYNAMIC, source[axis])]
    is_plain = len(cut) <= 1 and set(strides) == {1} and DYNAMIC not in offsets
    if not is_plain:
        raise PassError(f"no shape rule for the slice at {op.location}: it cuts more than one axis")
    axis = cut[0] if cut else 0
    return extract_slice(op.operands[0], axis, offsets[axis], sizes[axis] if cut else source[0])


def _drop_cast(op: ir.Operation) -> ir.Value:
    source: ir.Value = op.operands[0]
    return source


_REBUILD: dict[str, Callable[[Any], ir.Value]] = {
    "tensor.dim": _dim,
    "tensor.cast": _drop_cast,
    "tensor.expand_shape": _expand,
    "tensor.collapse_shape": _collapse,
    "tensor.extract_slice": _extract_slice,
    "linalg.transpose": _transpose,
}
