"""Random inputs for a function, by the types and roles of its arguments."""

from collections.abc import Sequence

import numpy as np

from octavo.dialects.llm.shapes import DYNAMIC
from octavo.equivalence.roles import Roles, roles_of
from octavo.interpret.dtypes import dtype_of
from octavo.mlir import ir
from octavo.passes.functions import only_block

_NUM_ROWS = 2  # for a dynamic batch
_WIDEST = 64  # a window wider than this is not crossed: sequences stay short
NUM_VARIABLE_BLOCKS = 256  # of a pool that is a variable of the module
_FEW = 4  # integers of unknown meaning are below this; dynamic sizes of unknown meaning are this, less one


def random_inputs(function: ir.Operation, rng: np.random.Generator) -> list[np.ndarray]:
    """One array for each argument of `function`.

    Dynamic sizes agree with each other: axis 0 is the batch and axis 1 the tokens, pools and block tables
    apart. Each row of a cache has tokens in it already, new ones that fit behind them, and blocks of its own.

    Raises:
        OctavoError: an argument's type is not one that the interpreter holds.
        PassError: the function has several blocks.
    """
    roles = roles_of(function)
    sizes = _sizes(roles, rng)
    step = _step_inputs(sizes, rng)
    arrays = []
    for index, argument in enumerate(only_block(function).arguments):
        role = roles.by_argument.get(index)
        if role in step:
            arrays.append(step[role])
        else:
            axes = ("num_blocks",) if role == "pool" else ("batch", "num_tokens")
            shape = _shape(argument.type, axes, sizes)
            bound = roles.id_bounds.get(index, _FEW)
            arrays.append(random_array(argument.type, shape, rng, bound=bound))
    return arrays


def random_array(
    type_: ir.Type, shape: Sequence[int], rng: np.random.Generator, *, bound: int = _FEW
) -> np.ndarray:
    """Normal numbers for floats, 0 to `bound` - 1 for integers, either of two for i1."""
    dtype = dtype_of(type_)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return np.asarray(rng.integers(0, bound, shape), dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def _sizes(roles: Roles, rng: np.random.Generator) -> dict[str, int]:
    """The static sizes, and some for the dynamic ones: enough tokens to cross the window."""
    window = min(roles.window, _WIDEST)
    sizes = {"batch": _NUM_ROWS, "num_tokens": window + int(rng.integers(4, 8)), "block_size": 1}
    sizes |= roles.sizes
    wanted = -(-(window + 2 * sizes["num_tokens"] + 2) // sizes["block_size"])
    if "pool" not in roles.by_argument.values():
        sizes.setdefault("num_blocks", NUM_VARIABLE_BLOCKS)
    if "num_blocks" in sizes:
        wanted = min(wanted, sizes["num_blocks"] // sizes["batch"])
    sizes.setdefault("table_width", wanted)
    sizes.setdefault("num_blocks", sizes["batch"] * sizes["table_width"] + 1)
    return sizes


def _step_inputs(sizes: dict[str, int], rng: np.random.Generator) -> dict[str | None, np.ndarray]:
    """`lens`, `start` and `table`: one row is full, any other may be idle."""
    batch, width = sizes["batch"], sizes["table_width"]
    # Columns come first, so that a pool smaller than the table gives each row as many blocks of its own.
    blocks = np.resize(rng.permutation(sizes["num_blocks"]), (width, batch)).T
    capacity = min(width, sizes["num_blocks"] // batch) * sizes["block_size"]
    most = min(sizes["num_tokens"], capacity)
    lens = rng.integers(0, most + 1, batch)
    lens[rng.integers(batch)] = most
    step = {"lens": lens, "start": rng.integers(0, capacity - lens + 1), "table": blocks}
    return {role: array.astype(np.int32) for role, array in step.items()}


def _shape(type_: ir.Type, axes: Sequence[str], sizes: dict[str, int]) -> list[int]:
    if not isinstance(type_, ir.RankedTensorType):
        return []
    known = [sizes[name] for name in axes]
    guesses = [*known, *[_FEW - 1] * type_.rank]
    return [
        guess if size == DYNAMIC else size
        for size, guess in zip(type_.shape, guesses, strict=False)
    ]
