"""Checks on tensor shapes that the verifiers share.

A dynamic dimension fits any size: what cannot be known at compile time is not an error. Every pass runs all
verifiers, so a message is only put together where a check fails.
"""

from collections.abc import Sequence

from octavo.errors import VerifyError
from octavo.mlir import ir

DYNAMIC = ir.ShapedType.get_dynamic_size()


def shape_of(value: ir.Value) -> list[int]:
    """Shape of a ranked tensor value, `DYNAMIC` where unknown."""
    return list(value.type.shape)


def element_type_of(value: ir.Value) -> ir.Type:
    """Element type of a ranked tensor value."""
    return value.type.element_type


def dims_fit(left: int, right: int) -> bool:
    """Whether two sizes can be the same size."""
    return left == right or DYNAMIC in (left, right)


def shapes_fit(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether two shapes can be the same shape."""
    return len(left) == len(right) and all(map(dims_fit, left, right))


def shown(shape: Sequence[int]) -> str:
    """`shape` as messages print it: `[2, ?, 64]`."""
    return "[" + ", ".join("?" if size == DYNAMIC else str(size) for size in shape) + "]"


def check_shape(value: ir.Value, name: str, expected: Sequence[int]) -> None:
    """Require that `value` can have shape `expected`."""
    got = shape_of(value)
    if not shapes_fit(got, expected):
        raise VerifyError(f"expected {name} of shape {shown(expected)}, got {shown(got)}")


def check_rank(value: ir.Value, name: str, rank: int, layout: str) -> None:
    """Require rank `rank`; `layout` names the dimensions in the message."""
    got = shape_of(value)
    if len(got) != rank:
        raise VerifyError(f"expected {name} of rank {rank} {layout}, got {shown(got)}")


def check_min_rank(value: ir.Value, name: str, rank: int) -> None:
    """Require at least rank `rank`."""
    got = shape_of(value)
    if len(got) < rank:
        raise VerifyError(f"expected {name} of rank {rank} or more, got {shown(got)}")


def check_same_type(value: ir.Value, name: str, other: ir.Value, other_name: str) -> None:
    """Require two values of one type."""
    if value.type != other.type:
        raise VerifyError(
            f"expected {name} to have the type of {other_name} {other.type}, got {value.type}"
        )


def check_element_type(value: ir.Value, name: str, expected: ir.Type) -> None:
    """Require an element type."""
    got = element_type_of(value)
    if got != expected:
        raise VerifyError(f"expected {name} of element type {expected}, got {got}")


def check_same_element_type(value: ir.Value, name: str, other: ir.Value, other_name: str) -> None:
    """Require two values of one element type."""
    got, expected = element_type_of(value), element_type_of(other)
    if got != expected:
        raise VerifyError(f"expected {name} of {other_name}'s element type {expected}, got {got}")


def check_float(value: ir.Value, name: str) -> None:
    """Require a floating-point element type."""
    got = element_type_of(value)
    if not isinstance(got, ir.FloatType):
        raise VerifyError(f"expected {name} of a float element type, got {got}")


def check_i32(value: ir.Value, name: str) -> None:
    """Require element type i32."""
    check_element_type(value, name, ir.IntegerType.get_signless(32))


def check_row_vector(value: ir.Value, name: str, batch: int) -> None:
    """Require one i32 for each row: shape `[batch]`."""
    check_shape(value, name, [batch])
    check_i32(value, name)
