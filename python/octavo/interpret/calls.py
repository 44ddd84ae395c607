"""References of calls between functions, of assertions, and of the model's weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from octavo.errors import OctavoError
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference
from octavo.mlir import ir


@reference("func.call")
def call(op: Any, frame: Frame) -> Sequence[np.ndarray]:
    """Run the callee."""
    return frame.program.call(op.callee.value, [frame[value] for value in op.operands])


@reference("cf.assert")
def assert_(op: Any, frame: Frame) -> Sequence[np.ndarray]:
    """Fail with the operation's message unless the condition holds."""
    if not np.all(frame[op.operands[0]]):
        raise OctavoError(ir.StringAttr(op.attributes["msg"]).value)
    return []


@reference("llm.weight")
def weight(op: Any, frame: Frame) -> np.ndarray:
    """Look the weight up by its key."""
    key = op.key.value
    if key not in frame.program.weights:
        raise OctavoError(
            f"no weight '{key}' among the {len(frame.program.weights)} given to evaluate"
        )
    return frame.program.weights[key]
