"""References of activations, gated products and element-wise scalings, all computed in f32."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from octavo.interpret.dtypes import as_f32, as_type_of
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference

_erf = np.vectorize(math.erf, otypes=[np.float64])


def erf(x: np.ndarray) -> np.ndarray:
    """The error function, in x's element type."""
    return np.asarray(_erf(x.astype(np.float64)), dtype=x.dtype).reshape(x.shape)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


def _silu(x: np.ndarray) -> np.ndarray:
    return np.asarray(x * _sigmoid(x))


def _gelu(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / 2 * (1 + erf(x / np.float32(math.sqrt(2)))))


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    inner = np.float32(math.sqrt(2 / math.pi)) * (x + np.float32(0.044715) * x**3)
    return np.asarray(x / 2 * (1 + np.tanh(inner)))


_ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "silu": _silu,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
}


@reference("llm.activation")
def activation(op: Any, frame: Frame) -> np.ndarray:
    """Apply the function that `kind` names."""
    return as_type_of(_ACTIVATIONS[op.kind.value](as_f32(frame[op.x])), op.out)


@reference("llm.swiglu")
def swiglu(op: Any, frame: Frame) -> np.ndarray:
    """Gate by silu."""
    return as_type_of(_silu(as_f32(frame[op.gate])) * as_f32(frame[op.up]), op.out)


@reference("llm.geglu")
def geglu(op: Any, frame: Frame) -> np.ndarray:
    """Gate by gelu, in the form that `approximate` names."""
    gelu = _gelu_tanh if op.approximate.value == "tanh" else _gelu
    return as_type_of(gelu(as_f32(frame[op.gate])) * as_f32(frame[op.up]), op.out)


@reference("llm.scale")
def scale(op: Any, frame: Frame) -> np.ndarray:
    """Multiply by the factor."""
    return as_type_of(np.float32(op.factor.value) * as_f32(frame[op.x]), op.out)


@reference("llm.softcap")
def softcap(op: Any, frame: Frame) -> np.ndarray:
    """Bound smoothly by the cap."""
    cap = np.float32(op.cap.value)
    return as_type_of(cap * np.tanh(as_f32(frame[op.x]) / cap), op.out)
