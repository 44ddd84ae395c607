"""Helpers that read the torch dialect, and the bridge from its tensors to builtin ones.

Matchers raise `NoMatch` at the first thing that differs, so that a pattern reads from top to bottom like the
code it recognises. `pattern` turns that into the rewriter's answer.
"""

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from octavo.mlir import address_of, ir
from octavo.passes.rewriter import Pattern, Rewriter

# The operator of octavo.frontend.attention_op, which a torch-free pass cannot import.
OWN_ATTENTION = "torch.octavo.attention"
_OPEN_END = 2**63 - 1  # torch's end of a slice that goes to the end


class NoMatch(Exception):
    """The operation is not what a pattern looks for."""


def pattern(function: Callable[[Any, Rewriter], None]) -> Pattern:
    """Turn a function that raises `NoMatch` into a pattern that returns whether it matched."""

    @functools.wraps(function)
    def wrapped(op: Any, rewriter: Rewriter) -> bool:
        try:
            function(op, rewriter)
        except NoMatch:
            return False
        return True

    return wrapped


def match_if(condition: bool) -> None:
    """Raise `NoMatch` unless `condition` holds."""
    if not condition:
        raise NoMatch


def definer(value: ir.Value, *names: str) -> ir.Operation:
    """The operation that defines `value`, which must be one of `names` where any are given."""
    owner = value.owner
    match_if(isinstance(owner, ir.Operation) or hasattr(owner, "operation"))
    operation = owner.operation
    match_if(not names or operation.name in names)
    return operation


def either_order(
    function: Callable[[ir.Value, ir.Value], Any], left: ir.Value, right: ir.Value
) -> Any:
    """Apply `function` to the operands of a commutative operation, in the order that matches."""
    try:
        return function(left, right)
    except NoMatch:
        return function(right, left)


_CONSTANTS: dict[str, Callable[[ir.Operation], Any]] = {
    "torch.constant.int": lambda op: ir.IntegerAttr(op.attributes["value"]).value,
    "torch.constant.float": lambda op: ir.FloatAttr(op.attributes["value"]).value,
    "torch.constant.bool": lambda op: bool(ir.BoolAttr(op.attributes["value"]).value),
    "torch.constant.str": lambda op: ir.StringAttr(op.attributes["value"]).value,
    "torch.constant.none": lambda op: None,
}


def constant(value: ir.Value) -> Any:
    """The Python value of a torch constant."""
    operation = definer(value, *_CONSTANTS)
    return _CONSTANTS[operation.name](operation)


def number(value: ir.Value) -> float:
    """A numeric constant: torch's scalar, or a literal tensor of one value."""
    operation = definer(value)
    if operation.name == "torch.vtensor.literal":
        literal = operation.attributes["value"]
        match_if(isinstance(literal, ir.DenseFPElementsAttr) and len(literal) == 1)
        # Not literal[0]: the bindings read no bf16 element, but they do read the value of all elements.
        return float(literal.get_splat_value().value)
    found = constant(value)
    match_if(isinstance(found, int | float) and not isinstance(found, bool))
    return float(found)


def elements(value: ir.Value) -> list[ir.Value]:
    """The operands of a list construction."""
    return list(definer(value, "torch.prim.ListConstruct").operands)


def constants(value: ir.Value) -> list[Any]:
    """The Python values of a list of constants."""
    return [constant(each) for each in elements(value)]


def is_none(value: ir.Value) -> bool:
    """Whether `value` is torch's None."""
    owner = value.owner
    return not isinstance(owner, ir.Block) and owner.name == "torch.constant.none"


def plus_number(value: ir.Value) -> tuple[ir.Value, float]:
    """Match `x + number`; return x and the number."""
    operation = definer(value, "torch.aten.add.Scalar")
    x, added, alpha = operation.operands
    match_if(number(alpha) == 1)
    return x, number(added)


@dataclass(frozen=True, slots=True)
class Slice:
    """`source[begin:end]` along one axis, with non-negative bounds; `end` is None on a dynamic axis."""

    source: ir.Value
    axis: int
    begin: int
    end: int | None


def match_slice(value: ir.Value) -> Slice:
    """Match a slice of step 1: any of a static axis, one with an open end of a dynamic axis."""
    operation = definer(value, "torch.aten.slice.Tensor")
    source, axis, begin, end, step = operation.operands
    shape = builtin_type(source.type).shape
    where = constant(axis) % len(shape)
    match_if(constant(step) == 1)
    first, last = constant(begin) or 0, constant(end)
    if shape[where] == ir.ShapedType.get_dynamic_size():
        match_if(first >= 0 and last in (None, _OPEN_END))
        return Slice(source, where, first, None)
    bounds = slice(first, last).indices(shape[where])
    return Slice(source, where, bounds[0], bounds[1])


# The bindings have no classes for torch's types, so this is the one place that reads a type from its text.
_TENSOR = re.compile(r"!torch\.vtensor<\[([\d,?]*)\],(?!unk)(\w+)>")
_ELEMENTS = {"si64": "i64", "si32": "i32", "si16": "i16", "si8": "i8", "ui8": "i8"}


def is_torch_tensor(type_: ir.Type) -> bool:
    """Whether `type_` is a torch value tensor of known rank and element type."""
    return _TENSOR.fullmatch(str(type_)) is not None


def builtin_type(type_: ir.Type) -> ir.RankedTensorType:
    """The builtin tensor type of a torch value tensor type."""
    match = _TENSOR.fullmatch(str(type_))
    match_if(match is not None)
    assert match is not None
    shape = [
        ir.ShapedType.get_dynamic_size() if size == "?" else int(size)
        for size in match[1].split(",")
        if size
    ]
    return ir.RankedTensorType.get(shape, ir.Type.parse(_ELEMENTS.get(match[2], match[2])))


def to_builtin(value: ir.Value) -> ir.Value:
    """`value` as a builtin tensor, looking through a cast to torch's."""
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.name == "torch_c.from_builtin_tensor":
        return owner.operands[0]
    cast = ir.Operation.create(
        "torch_c.to_builtin_tensor", results=[builtin_type(value.type)], operands=[value]
    )
    return cast.result


def from_builtin(value: ir.Value, type_: ir.Type) -> ir.Value:
    """`value`, a builtin tensor, as the torch tensor type `type_`."""
    cast = ir.Operation.create("torch_c.from_builtin_tensor", results=[type_], operands=[value])
    return cast.result


def erase_unread(rewriter: Rewriter, values: Sequence[ir.Value]) -> None:
    """Erase the torch operations that made `values`, and theirs in turn, as far as nobody reads them."""
    owners = [value.owner for value in values]
    operations = [owner.operation for owner in owners if not isinstance(owner, ir.Block)]
    # Addresses before anything is erased: one operation may make several of the values.
    for address, operation in [(address_of(each), each) for each in operations]:
        if rewriter.is_erased(address) or not operation.name.startswith("torch."):
            continue
        if not any(True for result in operation.results for _ in result.uses):
            operands = list(operation.operands)
            rewriter.erase(operation)
            erase_unread(rewriter, operands)


def replace_torch(rewriter: Rewriter, op: Any, values: Sequence[ir.Value]) -> None:
    """Replace a torch operation's results by builtin tensors."""
    results = op.operation.results
    casts = [
        from_builtin(value, result.type) for value, result in zip(values, results, strict=True)
    ]
    rewriter.replace(op, casts)
