"""MLIR types as numpy element types, and constants as arrays."""

from typing import Any

import ml_dtypes
import numpy as np

from octavo.errors import OctavoError
from octavo.mlir import ir

_FLOATS: dict[type, np.dtype[Any]] = {
    ir.BF16Type: np.dtype(ml_dtypes.bfloat16),
    ir.F16Type: np.dtype(np.float16),
    ir.F32Type: np.dtype(np.float32),
    ir.F64Type: np.dtype(np.float64),
}
_INTEGERS: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.bool_),
    8: np.dtype(np.int8),
    16: np.dtype(np.int16),
    32: np.dtype(np.int32),
    64: np.dtype(np.int64),
}


def dtype_of(kind: ir.Type) -> np.dtype[Any]:
    """Numpy's element type for a scalar type, or for a tensor type's elements. `index` is int64.

    Raises:
        OctavoError: numpy has no such type.
    """
    element = kind.element_type if isinstance(kind, ir.RankedTensorType) else kind
    found = _FLOATS.get(type(element))
    if isinstance(element, ir.IndexType):
        found = _INTEGERS[64]
    elif isinstance(element, ir.IntegerType):
        found = _INTEGERS.get(element.width)
    if found is None:
        raise OctavoError(f"the interpreter has no values of type {kind}")
    return found


def as_f32(array: np.ndarray) -> np.ndarray:
    """`array` in f32, where statistics and softmax are computed."""
    return array.astype(np.float32, copy=False)


def as_type_of(array: np.ndarray, value: ir.Value) -> np.ndarray:
    """`array` rounded to the element type of `value`."""
    return array.astype(dtype_of(value.type), copy=False)


def greatest_of(dtype: np.dtype[Any]) -> np.ndarray:
    """The greatest finite number of a float type, in that type."""
    info = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    return np.asarray(info.max, dtype)


def constant_array(attribute: ir.Attribute) -> np.ndarray:
    """The value of a constant: a number, or a dense tensor.

    Raises:
        OctavoError: the bindings do not show the values of this kind of attribute.
    """
    if isinstance(attribute, ir.FloatAttr | ir.IntegerAttr | ir.BoolAttr):
        return np.asarray(attribute.value, dtype_of(attribute.type))
    if isinstance(attribute, ir.DenseElementsAttr):
        if attribute.is_splat:
            value = constant_array(attribute.get_splat_value())
            return np.full(attribute.type.shape, value)
        if not isinstance(attribute.type.element_type, ir.BF16Type):
            return np.array(attribute)
    raise OctavoError(
        f"the bindings do not show the values of a constant of type {attribute.type}. "
        "Write it in f32, and round it with arith.truncf"
    )
