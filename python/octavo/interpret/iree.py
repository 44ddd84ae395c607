"""References of the operations of IREE's dialects that the lowering makes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from octavo.errors import OctavoError
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference
from octavo.mlir import ir


@reference("util.optimization_barrier")
@reference("iree_tensor_ext.compute_barrier.start")
@reference("iree_tensor_ext.compute_barrier.end")
def barrier(op: Any, frame: Frame) -> np.ndarray:
    """The value itself; the other operands are its dynamic sizes."""
    return frame[op.operands[0]]


@reference("util.global.load")
def load_global(op: Any, frame: Frame) -> np.ndarray:
    """Read a variable of the module."""
    name = _global_name(op)
    if name not in frame.program.variables:
        known = len(frame.program.variables)
        raise OctavoError(f"no value for @{name} among the {known} variables given to evaluate")
    return frame.program.variables[name]


@reference("util.global.store")
def store_global(op: Any, frame: Frame) -> Sequence[np.ndarray]:
    """Write a variable of the module."""
    frame.program.variables[_global_name(op)] = frame[op.operands[0]]
    return []


def _global_name(op: Any) -> str:
    name: str = ir.FlatSymbolRefAttr(op.attributes["global"]).value
    return name


@reference("iree_linalg_ext.scatter")
def scatter(op: Any, frame: Frame) -> np.ndarray:
    """Write updates `[n, d]` into rows `[n]` of a copy of the last operand, where the mask `[n]` holds."""
    updates, rows, mask, into = (frame[value] for value in op.operands)
    out = into.copy()
    out[rows[mask]] = updates[mask]
    return out
