"""Random values for what a module takes from outside its functions: weights, and variables."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from octavo.dialects.llm import WeightOp
from octavo.dialects.llm.shapes import DYNAMIC
from octavo.equivalence.inputs import NUM_VARIABLE_BLOCKS, random_array
from octavo.mlir import ir
from octavo.passes.lower.lower_weights import weight_symbol
from octavo.passes.rewriter import walk


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the functions of two modules find around them.

    Attributes:
        weights: arrays by the keys of `llm.weight`.
        variables: arrays by the names of `util.global`s, those that weights are lowered to among them.
    """

    weights: dict[str, np.ndarray]
    variables: dict[str, np.ndarray]


def random_surroundings(modules: Iterable[ir.Operation], seed: int) -> Surroundings:
    """Draw each weight and each variable once, the same in whichever of the modules it stands.

    Raises:
        OctavoError: one is of a type that the interpreter does not hold.
    """
    weights: dict[str, np.ndarray] = {}
    variables: dict[str, np.ndarray] = {}
    for key, symbol, type_ in _declared(modules):
        if symbol not in variables:
            variables[symbol] = _draw(
                type_, np.random.default_rng([seed, zlib.crc32(symbol.encode())])
            )
        if key is not None:
            weights[key] = variables[symbol]
    return Surroundings(weights, variables)


def _declared(modules: Iterable[ir.Operation]) -> Iterator[tuple[str | None, str, ir.Type]]:
    """Key of each weight, or None for a variable; its symbol; its type."""
    for module in modules:
        for op in walk(module):
            if op.name == WeightOp.OPERATION_NAME:
                key = op.opview.key.value
                yield key, weight_symbol(key), op.results[0].type
            elif op.name == "util.global":
                yield (
                    None,
                    ir.StringAttr(op.attributes["sym_name"]).value,
                    op.attributes["type"].value,
                )


def _draw(type_: ir.Type, rng: np.random.Generator) -> np.ndarray:
    """Vectors around 1; matrices over the root of their width, so that activations keep their size."""
    is_tensor = isinstance(type_, ir.RankedTensorType)
    sizes = type_.shape if is_tensor else []
    shape = [NUM_VARIABLE_BLOCKS if size == DYNAMIC else size for size in sizes]
    array = random_array(type_, shape, rng)
    if np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_:
        return array
    scaled = array / np.sqrt(shape[-1]) if len(shape) > 1 else 1 + array / 4
    return np.asarray(scaled, array.dtype)
