"""References of the arith dialect, in the element type of the operands.

Integers are signless and kept in numpy's signed types; an unsigned operation looks at the same bits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from octavo.interpret.dtypes import constant_array, dtype_of
from octavo.interpret.frame import Frame
from octavo.interpret.registry import elementwise, reference


def _unsigned(x: np.ndarray) -> np.ndarray:
    return x.view(f"u{x.dtype.itemsize}")


def _on_unsigned(function: Callable[..., Any]) -> Callable[[np.ndarray, np.ndarray], Any]:
    return lambda a, b: np.asarray(function(_unsigned(a), _unsigned(b))).view(a.dtype)


def _div_toward_zero(a: np.ndarray, b: np.ndarray) -> Any:
    return (a - np.fmod(a, b)) // b


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "addf": np.add,
    "addi": np.add,
    "andi": np.bitwise_and,
    "ceildivsi": lambda a, b: -(-a // b),
    "divf": np.divide,
    "divsi": _div_toward_zero,
    "divui": _on_unsigned(np.floor_divide),
    "floordivsi": np.floor_divide,
    "maximumf": np.maximum,
    "maxnumf": np.fmax,
    "maxsi": np.maximum,
    "maxui": _on_unsigned(np.maximum),
    "minimumf": np.minimum,
    "minnumf": np.fmin,
    "minsi": np.minimum,
    "minui": _on_unsigned(np.minimum),
    "mulf": np.multiply,
    "muli": np.multiply,
    "negf": np.negative,
    "ori": np.bitwise_or,
    "remf": np.fmod,
    "remsi": np.fmod,
    "remui": _on_unsigned(np.fmod),
    "select": np.where,
    "shli": np.left_shift,
    "shrsi": np.right_shift,
    "shrui": _on_unsigned(np.right_shift),
    "subf": np.subtract,
    "subi": np.subtract,
    "xori": np.bitwise_xor,
}
for _name, _function in _FUNCTIONS.items():
    elementwise(f"arith.{_name}", _function)


@reference("arith.constant")
def constant(op: Any, frame: Frame) -> np.ndarray:
    """A number or a dense tensor."""
    return constant_array(op.value)


def _signed(x: np.ndarray) -> np.ndarray:
    """The values as arith reads them where sign matters: true is -1."""
    return -x.astype(np.int8) if x.dtype == np.bool_ else x


_ORDERS: list[Callable[..., Any]] = [np.less, np.less_equal, np.greater, np.greater_equal]
# By the number of CmpIPredicate: eq, ne, then the signed and the unsigned orders.
_INTEGER_TESTS = [np.equal, np.not_equal, *_ORDERS, *_ORDERS]
_FIRST_UNSIGNED_TEST = 6


@reference("arith.cmpi")
def cmpi(op: Any, frame: Frame) -> np.ndarray:
    """Compare integers by the predicate."""
    predicate = op.predicate.value
    prepare = _unsigned if predicate >= _FIRST_UNSIGNED_TEST else _signed
    return np.asarray(_INTEGER_TESTS[predicate](prepare(frame[op.lhs]), prepare(frame[op.rhs])))


def _never(a: np.ndarray, b: np.ndarray) -> Any:
    return np.zeros(np.broadcast(a, b).shape, np.bool_)


def _always(a: np.ndarray, b: np.ndarray) -> Any:
    return ~_never(a, b)


_FLOAT_TESTS: list[Callable[..., Any]] = [
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.not_equal,
]
# By the number of CmpFPredicate: false, the ordered tests, ord; then the unordered tests, uno, true.
_ORDERED_TESTS = [_never, *_FLOAT_TESTS, _always]
_UNORDERED_TESTS = [*_FLOAT_TESTS, _never, _always]


@reference("arith.cmpf")
def cmpf(op: Any, frame: Frame) -> np.ndarray:
    """Compare floats by the predicate: beside a NaN the ordered ones are false and the others true."""
    lhs, rhs = frame[op.lhs], frame[op.rhs]
    is_nan = np.isnan(lhs) | np.isnan(rhs)
    predicate = op.predicate.value
    if predicate < len(_ORDERED_TESTS):
        return np.asarray(_ORDERED_TESTS[predicate](lhs, rhs) & ~is_nan)
    return np.asarray(_UNORDERED_TESTS[predicate - len(_ORDERED_TESTS)](lhs, rhs) | is_nan)


def _low_bits(x: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    return (x & 1).astype(dtype) if dtype == np.bool_ else x.astype(dtype)


_CASTS: dict[str, Callable[[np.ndarray, np.dtype[Any]], np.ndarray]] = {
    "bitcast": lambda x, dtype: x.view(dtype),
    "extf": lambda x, dtype: x.astype(dtype),
    "extsi": lambda x, dtype: _signed(x).astype(dtype),
    "extui": lambda x, dtype: _unsigned(x).astype(dtype),
    "fptosi": lambda x, dtype: x.astype(dtype),
    "index_cast": lambda x, dtype: _signed(x).astype(dtype),
    "index_castui": lambda x, dtype: _unsigned(x).astype(dtype),
    "sitofp": lambda x, dtype: _signed(x).astype(dtype),
    "truncf": lambda x, dtype: x.astype(dtype),
    "trunci": _low_bits,
    "uitofp": lambda x, dtype: _unsigned(x).astype(dtype),
}


def _register_cast(name: str, cast: Callable[[np.ndarray, np.dtype[Any]], np.ndarray]) -> None:
    reference(name)(lambda op, frame: cast(frame[op.operands[0]], dtype_of(op.results[0].type)))


for _name, _function in _CASTS.items():
    _register_cast(f"arith.{_name}", _function)
