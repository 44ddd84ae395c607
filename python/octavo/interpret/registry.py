"""The table of references: what each operation computes, by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from octavo.errors import NoReferenceError
from octavo.mlir import ir

if TYPE_CHECKING:
    from octavo.interpret.frame import Frame

# The operation and the values of the function it stands in -> its result, or one array for each result.
Reference = Callable[[Any, "Frame"], np.ndarray | Sequence[np.ndarray]]

_REFERENCES: dict[str, Reference] = {}


def reference(name: str) -> Callable[[Reference], Reference]:
    """Decorate a function as the reference of the operation `name`.

    The function gets the operation and the frame: `frame[op.x]` is the array of operand `x`. It returns new
    arrays of the shapes and element types that the operation's results declare.

    Raises:
        ValueError: the name has a reference already.
    """

    def decorate(function: Reference) -> Reference:
        if name in _REFERENCES:
            raise ValueError(f"'{name}' has a reference already: {_REFERENCES[name].__module__}")
        _REFERENCES[name] = function
        return function

    return decorate


def elementwise(name: str, function: Callable[..., Any]) -> None:
    """Register `function` of the operands' arrays as the reference of `name`."""
    reference(name)(
        lambda op, frame: np.asarray(function(*(frame[value] for value in op.operands)))
    )


def find_reference(op: ir.Operation) -> Reference:
    """Return the reference of `op`.

    Raises:
        NoReferenceError: it has none.
    """
    try:
        return _REFERENCES[op.name]
    except KeyError:
        raise NoReferenceError(
            f"the interpreter has no reference for '{op.name}' at {op.location}. Register one by decorating "
            f'a function (op, frame) -> array with @octavo.interpret.reference("{op.name}")'
        ) from None


def all_references() -> list[str]:
    """Names of the operations that have a reference, sorted."""
    return sorted(_REFERENCES)
