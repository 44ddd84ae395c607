import ml_dtypes
import numpy as np
import pytest

from octavo.equivalence.compare import first_mismatch, tolerance_of
from octavo.mlir import ir

F32 = np.float32


def compare(expected, got, tolerance=1e-3):
    return first_mismatch("f", [np.asarray(expected)], [np.asarray(got)], tolerance)


@pytest.mark.parametrize("kind", [F32, np.float16, ml_dtypes.bfloat16])
def test_the_tolerance_is_relative_to_the_largest_number(kind) -> None:
    assert compare(np.array([1000, 0], kind), np.array([1000, 0.5], kind)) is None
    found = compare(np.array([1000, 0], kind), np.array([1000, 8], kind))
    assert found is not None
    assert str(found) == (
        "result 0 of @f changed: at [1] expected 0, got 8; 1 of 2 numbers differ by more than 1"
    )


def test_integers_and_truth_values_are_exact() -> None:
    assert compare(np.array([10**6]), np.array([10**6])) is None
    assert compare(np.array([10**6]), np.array([10**6 + 1])) is not None
    assert compare(np.array([True]), np.array([False])) is not None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_infinities_and_nans_are_equal_to_themselves_only(value) -> None:
    left = np.array([value, 1], F32)
    assert compare(left, left.copy()) is None
    for other in (0, 1, -value):
        if not np.isnan(value):
            assert compare(left, np.array([other, 1], F32)) is not None
    assert compare(left, np.array([7, 1], F32)) is not None
    assert compare(np.array([7, 1], F32), left) is not None


def test_shapes_types_and_counts_are_compared() -> None:
    assert "expected float32 of shape [2], got float32 of shape [3]" in str(
        compare(np.zeros(2, F32), np.zeros(3, F32))
    )
    assert "got float64" in str(compare(np.zeros(2, F32), np.zeros(2)))
    assert "expected 1 results, got 0" in str(first_mismatch("f", [np.zeros(1)], [], 0))
    assert compare(np.zeros((0, 2), F32), np.zeros((0, 2), F32)) is None


def test_the_coarsest_element_type_counts() -> None:
    text = (
        'func.func @main() {{ %0 = "t.a"() : () -> tensor<2xf32> %1 = "t.b"() : () -> {} return }}'
    )
    found = [
        tolerance_of(ir.Module.parse(text.format(kind)).operation)
        for kind in ("i32", "f64", "tensor<1xf16>", "bf16")
    ]
    assert found[0] == found[1] < found[2] < found[3]
