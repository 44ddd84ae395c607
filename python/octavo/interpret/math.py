"""References of the math dialect; f16 and bf16 are computed in f32 and rounded."""

from collections.abc import Callable
from typing import Any

import numpy as np

from octavo.interpret.activation import erf
from octavo.interpret.registry import elementwise


def _rsqrt(x: np.ndarray) -> Any:
    return 1 / np.sqrt(x)


def _round_half_away(x: np.ndarray) -> Any:
    return np.trunc(x + np.copysign(np.asarray(0.5, x.dtype), x))


_FLOAT_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "absf": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": erf,
    "erfc": lambda x: 1 - erf(x),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "fpowi": np.power,
    "fma": lambda a, b, c: a * b + c,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "powf": np.power,
    "round": _round_half_away,
    "roundeven": np.rint,
    "rsqrt": _rsqrt,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}


def _in_f32(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*operands: np.ndarray) -> Any:
        dtype = operands[0].dtype
        wide = [each.astype(np.float32) if dtype.itemsize < 4 else each for each in operands]
        return np.asarray(function(*wide)).astype(dtype)

    return apply


for _name, _function in _FLOAT_FUNCTIONS.items():
    elementwise(f"math.{_name}", _in_f32(_function))
elementwise("math.absi", np.abs)
for _name in ("isfinite", "isinf", "isnan"):
    elementwise(f"math.{_name}", getattr(np, _name))
