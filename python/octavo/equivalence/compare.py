"""Two results, and how far apart they may be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from octavo.mlir import ir
from octavo.passes.rewriter import walk

# Largest difference, relative to the largest number of the result: some hundred roundings of each type. What
# a pass breaks is far beyond it, and what the order of a sum changes is far below.
_TOLERANCES: dict[type, float] = {
    ir.F64Type: 1e-10,
    ir.F32Type: 2e-5,
    ir.F16Type: 2e-2,
    ir.BF16Type: 1e-1,
}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A result that changed.

    Attributes:
        function: name of the function.
        result: index of the result.
        reason: what differs, with numbers.
    """

    function: str
    result: int
    reason: str

    def __str__(self) -> str:
        """One line."""
        return f"result {self.result} of @{self.function} changed: {self.reason}"


def tolerance_of(module: ir.Operation) -> float:
    """The tolerance of the coarsest element type that the module computes in."""
    found = {
        _TOLERANCES.get(type(_element(value.type)), 0.0)
        for op in walk(module)
        for value in op.results
    }
    return max(found, default=0.0)


def first_mismatch(
    function: str,
    expected: Sequence[np.ndarray],
    got: Sequence[np.ndarray],
    tolerance: float,
) -> Mismatch | None:
    """The first result that differs by more than `tolerance` of its largest number, or None."""
    if len(expected) != len(got):
        return Mismatch(function, 0, f"expected {len(expected)} results, got {len(got)}")
    for index, (left, right) in enumerate(zip(expected, got, strict=True)):
        if reason := _difference(left, right, tolerance):
            return Mismatch(function, index, reason)
    return None


def _difference(expected: np.ndarray, got: np.ndarray, tolerance: float) -> str | None:
    if (expected.dtype, expected.shape) != (got.dtype, got.shape):
        kinds = [f"{array.dtype} of shape {list(array.shape)}" for array in (expected, got)]
        return f"expected {kinds[0]}, got {kinds[1]}"
    left, right = _as_f64(expected), _as_f64(got)
    # Infinities and NaNs are the same or they are a difference; both would poison the scale.
    is_same = (left == right) | (np.isnan(left) & np.isnan(right))
    with np.errstate(invalid="ignore"):
        error = np.where(is_same, 0.0, np.abs(left - right))
    error = np.where(np.isnan(error), np.inf, error)
    finite = np.abs(left[np.isfinite(left)])
    scale = float(finite.max(initial=0.0)) if finite.size else 0.0
    allowed = tolerance * scale if np.issubdtype(_kind(expected), np.floating) else 0.0
    if not error.size or error.max() <= allowed:
        return None
    where = np.unravel_index(int(error.argmax()), error.shape)
    at = [int(index) for index in where]
    return (
        f"at {at} expected {left[where]:.6g}, got {right[where]:.6g}; "
        f"{int((error > allowed).sum())} of {error.size} numbers differ by more than {allowed:.2g}"
    )


def _kind(array: np.ndarray) -> Any:
    """`np.float64` for every float type: numpy does not count bfloat16 among them."""
    is_whole = np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_
    return array.dtype if is_whole else np.float64


def _as_f64(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64)


def _element(type_: ir.Type) -> ir.Type:
    return type_.element_type if isinstance(type_, ir.RankedTensorType) else type_
