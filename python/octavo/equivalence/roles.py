"""What the integer arguments of a function mean: token ids, counts of tokens, or a block table.

Integers drawn blindly would mostly be refused (more new tokens than there are places for) or say little (ids
beyond the vocabulary all read its last row).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from octavo.dialects.llm import EmbeddingOp
from octavo.dialects.llm.shapes import DYNAMIC
from octavo.mlir import ir
from octavo.passes.functions import only_block
from octavo.passes.rewriter import walk

# Operand of an llm operation of the step: its role, and what its leading dimensions count.
_STEP_OPERANDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "start": ("start", ("batch",)),
    "lens": ("lens", ("batch",)),
    "table": ("table", ("batch", "table_width")),
    "pool": ("pool", ("num_blocks", "", "block_size")),
    "k_pool": ("pool", ("num_blocks", "", "block_size")),
    "v_pool": ("pool", ("num_blocks", "", "block_size")),
}
# The operand that has the new tokens along axis 1, in operations that also take `lens`.
_TOKENS = ("tokens", "new", "q", "x")


@dataclass(frozen=True, slots=True)
class Roles:
    """What a function does with its arguments.

    Attributes:
        by_argument: index of an argument to `start`, `lens`, `table` or `pool`.
        id_bounds: index of an argument of row numbers to how many rows they choose from.
        sizes: static sizes of the step: `batch`, `num_tokens`, `table_width`, `num_blocks`, `block_size`.
        window: the widest attention window, in tokens; 0 where there is none.
    """

    by_argument: Mapping[int, str]
    id_bounds: Mapping[int, int]
    sizes: Mapping[str, int]
    window: int


def roles_of(function: ir.Operation) -> Roles:
    """Read the roles off the operations that use the arguments.

    Raises:
        PassError: the function has several blocks.
    """
    arguments = list(only_block(function).arguments)
    by_argument: dict[int, str] = {}
    id_bounds: dict[int, int] = {}
    sizes: dict[str, int] = {}
    window = 0
    for op in walk(function):
        if op.name == EmbeddingOp.OPERATION_NAME:
            _note_bound(op.opview, arguments, id_bounds)
        elif op.name.startswith("llm."):
            _note_step(op.opview, arguments, by_argument, sizes)
        if "window" in op.attributes and isinstance(op.attributes["window"], ir.IntegerAttr):
            window = max(window, op.attributes["window"].value)
    return Roles(by_argument, id_bounds, sizes, window)


def _note_bound(op: EmbeddingOp, arguments: list[ir.Value], id_bounds: dict[int, int]) -> None:
    rows = op.table.type.shape[0]
    if op.ids in arguments and rows != DYNAMIC:
        index = arguments.index(op.ids)
        id_bounds[index] = min(rows, id_bounds.get(index, rows))


def _note_step(
    op: Any, arguments: list[ir.Value], by_argument: dict[int, str], sizes: dict[str, int]
) -> None:
    if getattr(op, "lens", None) is None:
        return
    for name, (role, dimensions) in _STEP_OPERANDS.items():
        value = getattr(op, name, None)
        if value is None:
            continue
        _note_sizes(value, dimensions, sizes)
        if value in arguments:
            by_argument[arguments.index(value)] = role
    tokens = next(value for name in _TOKENS if (value := getattr(op, name, None)) is not None)
    _note_sizes(tokens, ("batch", "num_tokens"), sizes)


def _note_sizes(value: ir.Value, dimensions: Sequence[str], sizes: dict[str, int]) -> None:
    named = zip(dimensions, value.type.shape, strict=False)
    sizes |= {name: size for name, size in named if name and size != DYNAMIC}
