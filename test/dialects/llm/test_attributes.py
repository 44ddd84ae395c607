import pytest

from octavo.dialects import create_context
from octavo.dialects.llm.attributes import (
    bool_attr,
    check_choice,
    check_optional_positive,
    float_attr,
    int_attr,
    none_attr,
    optional_float_attr,
    optional_int_attr,
    read_optional,
)
from octavo.errors import VerifyError
from octavo.mlir import ir


@pytest.fixture(autouse=True)
def context():
    with create_context() as context, ir.Location.unknown():
        yield context


def test_builders_print_as_the_dialect_reads_them() -> None:
    assert str(float_attr(2)) == "2.000000e+00 : f64"
    assert str(int_attr(7)) == "7 : i64"
    assert str(bool_attr(True)) == "true"
    assert str(bool_attr(False)) == "false"
    assert str(none_attr()) == "none"


def test_a_false_attribute_is_kept() -> None:
    operation = ir.Operation.create("test.op", attributes={"causal": bool_attr(False)})
    assert operation.attributes["causal"].value == 0


@pytest.mark.parametrize("value", [None, 0.0, 2.5])
def test_optional_floats_read_back(value) -> None:
    assert read_optional(optional_float_attr(value)) == value


@pytest.mark.parametrize("value", [None, 0, 4096])
def test_optional_integers_read_back(value) -> None:
    assert read_optional(optional_int_attr(value)) == value


@pytest.mark.parametrize(
    ("text", "kind"), [("none", ir.FloatAttr), ("2.5", ir.FloatAttr), ("3", ir.IntegerAttr)]
)
def test_positive_numbers_and_none_pass(text, kind) -> None:
    check_optional_positive(ir.Attribute.parse(text), "window", kind)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("0", ir.IntegerAttr, "expected window to be a positive integer or none, got 0 : i64"),
        ("1.5", ir.IntegerAttr, "expected window to be a positive integer or none, got 1.5"),
        ("-1.5", ir.FloatAttr, "expected window to be a positive float or none, got -1.5"),
        ("3", ir.FloatAttr, "expected window to be a positive float or none, got 3 : i64"),
        ('"none"', ir.FloatAttr, 'expected window to be a positive float or none, got "none"'),
        ("f32", ir.FloatAttr, "expected window to be a positive float or none, got f32"),
    ],
)
def test_other_attributes_do_not_pass(text, kind, message) -> None:
    with pytest.raises(VerifyError, match=f"^{message}"):
        check_optional_positive(ir.Attribute.parse(text), "window", kind)


def test_choices() -> None:
    check_choice(ir.StringAttr.get("b"), "kind", ("a", "b"))
    with pytest.raises(VerifyError, match=r'^expected kind to be one of "a", "b", got "c"$'):
        check_choice(ir.StringAttr.get("c"), "kind", ("a", "b"))
