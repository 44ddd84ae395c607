import pytest

from octavo.dialects import create_context
from octavo.dialects.llm.shapes import (
    DYNAMIC,
    check_element_type,
    check_float,
    check_i32,
    check_min_rank,
    check_rank,
    check_row_vector,
    check_same_type,
    check_shape,
    element_type_of,
    shape_of,
    shapes_fit,
    shown,
)
from octavo.errors import VerifyError
from octavo.mlir import ir


@pytest.fixture(autouse=True)
def context():
    with create_context() as context, ir.Location.unknown():
        yield context


@pytest.fixture
def value():
    """Make a value of a type."""
    kept = []

    def make(text: str) -> ir.Value:
        kept.append(ir.Operation.create("test.value", results=[ir.Type.parse(text)]))
        return kept[-1].result

    return make


def test_shape_and_element_type(value) -> None:
    x = value("tensor<2x?xbf16>")
    assert shape_of(x) == [2, DYNAMIC]
    assert element_type_of(x) == ir.BF16Type.get()
    assert shown(shape_of(x)) == "[2, ?]"
    assert shown([]) == "[]"


@pytest.mark.parametrize(
    ("left", "right", "fit"),
    [
        ([2, 3], [2, 3], True),
        ([2, 3], [2, 4], False),
        ([2, 3], [2], False),
        ([], [], True),
        ([2, DYNAMIC], [2, 7], True),
        ([2, 7], [DYNAMIC, 7], True),
        ([DYNAMIC], [DYNAMIC], True),
        ([DYNAMIC, 3], [5, 4], False),
    ],
)
def test_a_dynamic_size_fits_any(left, right, fit) -> None:
    assert shapes_fit(left, right) == fit
    assert shapes_fit(right, left) == fit


CHECKS = [
    (
        lambda x: check_shape(x, "x", [2, 8]),
        ["tensor<2x8xf32>", "tensor<?x8xf32>"],
        "tensor<2x4xf32>",
        "expected x of shape [2, 8], got [2, 4]",
    ),
    (
        lambda x: check_rank(x, "x", 2, "[b, t]"),
        ["tensor<2x8xf32>", "tensor<?x?xf32>"],
        "tensor<2x?x4xf32>",
        "expected x of rank 2 [b, t], got [2, ?, 4]",
    ),
    (
        lambda x: check_min_rank(x, "x", 1),
        ["tensor<2xf32>", "tensor<2x3xf32>"],
        "tensor<f32>",
        "expected x of rank 1 or more, got []",
    ),
    (
        lambda x: check_element_type(x, "x", ir.F32Type.get()),
        ["tensor<2xf32>"],
        "tensor<2xf64>",
        "expected x of element type f32, got f64",
    ),
    (
        lambda x: check_float(x, "x"),
        ["tensor<2xf16>", "tensor<2xbf16>", "tensor<2xf8E4M3FN>"],
        "tensor<2xi8>",
        "expected x of a float element type, got i8",
    ),
    (
        lambda x: check_i32(x, "x"),
        ["tensor<2xi32>"],
        "tensor<2xui32>",
        "expected x of element type i32, got ui32",
    ),
    (
        lambda x: check_row_vector(x, "x", 3),
        ["tensor<3xi32>", "tensor<?xi32>"],
        "tensor<3xi64>",
        "expected x of element type i32, got i64",
    ),
]


@pytest.mark.parametrize(("check", "good", "bad", "message"), CHECKS)
def test_checks_pass_what_fits_and_say_what_does_not(value, check, good, bad, message) -> None:
    for text in good:
        check(value(text))
    with pytest.raises(VerifyError) as caught:
        check(value(bad))
    assert str(caught.value) == message


def test_same_type(value) -> None:
    x = value("tensor<2x?xf32>")
    check_same_type(value("tensor<2x?xf32>"), "out", x, "x")
    with pytest.raises(VerifyError) as caught:
        check_same_type(value("tensor<2x8xf32>"), "out", x, "x")
    expected = "expected out to have the type of x tensor<2x?xf32>, got tensor<2x8xf32>"
    assert str(caught.value) == expected
