"""Runs functions: blocks of operations over a table of values."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from octavo.dialects.llm.shapes import shapes_fit, shown
from octavo.errors import NoReferenceError, OctavoError
from octavo.interpret.dtypes import dtype_of
from octavo.interpret.registry import find_reference
from octavo.mlir import ir


def evaluate(
    module: ir.Module,
    inputs: Sequence[np.ndarray],
    *,
    function: str = "main",
    weights: Mapping[str, np.ndarray] | None = None,
    variables: dict[str, np.ndarray] | None = None,
) -> list[np.ndarray]:
    """Run a function of `module` on arrays.

    Args:
        module: only read.
        inputs: one array for each argument, of its element type (`ml_dtypes.bfloat16` for bf16, int64 for
            `index`) and of a shape that fits it; only read.
        function: its name.
        weights: arrays by the keys of `llm.weight`.
        variables: arrays by the names of `util.global`s; what the function stores in them is stored here.

    Returns:
        One array for each result.

    Raises:
        OctavoError: no such function, an input that does not fit, an operation without a reference, or one
            whose reference fails.
    """
    with module.context, np.errstate(all="ignore"):
        program = Program(module, weights or {}, {} if variables is None else variables)
        return program.call(function, inputs)


class Program:
    """The functions of a module, its weights, and its variables."""

    def __init__(
        self,
        module: ir.Module,
        weights: Mapping[str, np.ndarray],
        variables: dict[str, np.ndarray],
    ) -> None:
        """Collect the functions by name."""
        self.weights = weights
        self.variables = variables
        self._functions = {
            op.name.value: op for op in module.body.operations if op.operation.name == "func.func"
        }

    def call(self, name: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the function `name` (see `evaluate`)."""
        if name not in self._functions:
            known = ", ".join(self._functions) or "none"
            raise OctavoError(f"the module has no function '{name}': its functions are {known}")
        blocks = list(self._functions[name].regions[0].blocks)
        if len(blocks) != 1:
            raise OctavoError(
                f"function '{name}' has {len(blocks)} blocks: the interpreter runs exactly one"
            )
        _check_inputs(name, blocks[0].arguments, inputs)
        return Frame(self).run_block(blocks[0], inputs)


class Frame:
    """The values of one call of a function.

    Attributes:
        program: the module's functions and weights.
        point: the index of each iteration dimension while the body of a linalg operation runs.
    """

    def __init__(self, program: Program) -> None:
        """Start without values."""
        self.program = program
        self.point: Sequence[np.ndarray] = ()
        self._values: dict[ir.Value, np.ndarray] = {}

    def __getitem__(self, value: ir.Value) -> np.ndarray:
        """The array of `value`."""
        return self._values[value]

    def find(self, value: ir.Value | None) -> np.ndarray | None:
        """The array of an optional operand, or None where the operand is absent."""
        return None if value is None else self._values[value]

    def run_block(self, block: ir.Block, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run `block` and return the operands of its terminator.

        A scalar argument may be an array: the body of a linalg operation runs on many points at once, and
        every operation on scalars is element-wise.
        """
        self._values.update(zip(block.arguments, arguments, strict=True))
        *body, terminator = block.operations
        for op in body:
            self._values.update(zip(op.results, self._run(op), strict=True))
        return [self._values[value] for value in terminator.operands]

    def _run(self, op: Any) -> Sequence[np.ndarray]:
        function = find_reference(op.operation)
        try:
            returned = function(op, self)
            arrays = [returned] if isinstance(returned, np.ndarray) else list(returned)
            _check_results(op.results, arrays)
        except NoReferenceError:
            raise  # it names the operation, wherever the call is
        except Exception as error:
            reason = (
                str(error) if isinstance(error, OctavoError) else f"{type(error).__name__}: {error}"
            )
            raise OctavoError(f"'{op.operation.name}' at {op.location}: {reason}") from error
        return arrays


def _check_inputs(name: str, arguments: Sequence[ir.Value], inputs: Sequence[np.ndarray]) -> None:
    if len(arguments) != len(inputs):
        raise OctavoError(f"function '{name}' takes {len(arguments)} inputs, got {len(inputs)}")
    for index, (argument, array) in enumerate(zip(arguments, inputs, strict=True)):
        if problem := _misfit(argument.type, array):
            raise OctavoError(f"input {index} of function '{name}': {problem}")


def _check_results(results: Sequence[ir.Value], arrays: Sequence[np.ndarray]) -> None:
    if len(results) != len(arrays):
        raise OctavoError(f"its reference returned {len(arrays)} arrays, expected {len(results)}")
    for index, (result, array) in enumerate(zip(results, arrays, strict=True)):
        if problem := _misfit(result.type, array):
            raise OctavoError(f"result {index} of its reference: {problem}")


def _misfit(kind: ir.Type, array: np.ndarray) -> str | None:
    is_tensor = isinstance(kind, ir.RankedTensorType)
    if array.dtype == dtype_of(kind) and (not is_tensor or shapes_fit(array.shape, kind.shape)):
        return None
    return f"expected {kind}, got {array.dtype} of shape {shown(array.shape)}"
