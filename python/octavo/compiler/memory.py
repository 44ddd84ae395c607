"""Estimate the activations of a step from the `llm` module: the most that is alive between two operations."""

from octavo.config import DTYPE_NBYTES
from octavo.mlir import ir
from octavo.passes.tensor_ops import DYNAMIC

_NOT_ACTIVATIONS = ("llm.weight", "llm.kv_write")


def peak_activation_nbytes(module: ir.Module, max_table_width: int) -> int:
    """Largest sum of live activations over all functions, in bytes.

    Counts values between operations, not what an operation needs inside. Weights and pools are not
    activations. A dynamic axis counts as `max_table_width`.
    """
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    return max((_peak(op.regions[0].blocks[0], max_table_width) for op in functions), default=0)


def _peak(block: ir.Block, max_table_width: int) -> int:
    operations = [op.operation for op in block.operations]
    position = {op: index for index, op in enumerate(operations)}
    changes = [0] * (len(operations) + 1)
    for index, op in enumerate(operations):
        if op.name in _NOT_ACTIVATIONS:
            continue
        for result in op.results:
            uses = [position[use.owner.operation] for use in result.uses]
            nbytes = _nbytes(result.type, max_table_width)
            changes[index] += nbytes
            changes[max(uses, default=index) + 1] -= nbytes
    peak = live = 0
    for change in changes:
        live += change
        peak = max(peak, live)
    return peak


def _nbytes(type_: ir.Type, max_table_width: int) -> int:
    if not isinstance(type_, ir.RankedTensorType):
        return 0
    nbytes = DTYPE_NBYTES.get(str(type_.element_type), 4)
    for size in type_.shape:
        nbytes *= max_table_width if size == DYNAMIC else size
    return nbytes
