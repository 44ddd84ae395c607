"""Arguments of the public API: numpy's integers count, bools and text do not, and messages say what came."""

import numpy as np
import pytest

from octavo.arguments import (
    integer,
    is_array,
    is_integer,
    is_list,
    is_number,
    optional_integer,
    require,
    shown,
)


@pytest.mark.parametrize("value", [4, np.int64(4), np.uint8(4)])
def test_integers_become_ints(value: object) -> None:
    assert is_integer(value)
    assert type(integer("n", value, 1)) is int
    assert type(optional_integer("n", value, 1)) is int


@pytest.mark.parametrize(
    "value", [1.5, 4.0, "4", True, np.bool_(True), np.float64(4), None, 0, [4]]
)
def test_what_is_no_such_integer_is_named(value: object) -> None:
    with pytest.raises(ValueError, match=r"^num_blocks: expected an integer of at least 1, got "):
        integer("num_blocks", value, 1)
    if value is not None:
        with pytest.raises(
            ValueError, match=r"^n: expected None or an integer of at least 1, got "
        ):
            optional_integer("n", value, 1)


def test_an_upper_bound_counts() -> None:
    assert integer("n", 7, 0, 7) == 7
    with pytest.raises(ValueError, match=r"^n: expected an integer from 0 to 7, got 8$"):
        integer("n", 8, 0, 7)


def test_nothing_stays_nothing() -> None:
    assert optional_integer("n", None, 1) is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "1", None, 10**400, 1j])
def test_what_is_no_number(value: object) -> None:
    assert not is_number(value)


@pytest.mark.parametrize("value", [0, 0.5, np.float32(0.5), np.int32(1)])
def test_what_is_a_number(value: object) -> None:
    assert is_number(value)


def test_text_and_tables_are_no_lists() -> None:
    assert is_list([])
    assert is_list(())
    assert not any(map(is_list, ("a", b"a", {"a": 1}, {1}, None, 3)))


def test_arrays_have_an_axis() -> None:
    assert is_array(np.zeros(0))
    assert not any(map(is_array, (np.int64(4), np.array(4), [4], "4", None)))


def test_a_long_value_is_cut() -> None:
    assert shown("a") == "'a'"
    assert len(shown("a" * 1000)) < 100
    require(True, "x", "anything", None)
    with pytest.raises(ValueError, match=r"^x: expected a dict, got \['a', "):
        require(False, "x", "a dict", ["a"] * 1000)
