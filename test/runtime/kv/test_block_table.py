import numpy as np
import pytest

from octavo.runtime.kv.block_table import num_blocks_for, pad_tables, table_width


@pytest.mark.parametrize(
    ("num_tokens", "num_blocks"), [(0, 0), (1, 1), (16, 1), (17, 2), (160, 10)]
)
def test_blocks_of_16_tokens(num_tokens: int, num_blocks: int) -> None:
    assert num_blocks_for(num_tokens, 16) == num_blocks


@pytest.mark.parametrize(
    ("num_blocks", "width"),
    [(0, 1), (1, 1), (2, 2), (3, 4), (5, 8), (8, 8), (9, 16), (16, 16), (17, 24)],
)
def test_widths_repeat(num_blocks: int, width: int) -> None:
    assert table_width(num_blocks) == width


def test_a_width_holds_its_blocks_and_at_most_seven_more() -> None:
    for num_blocks in range(1, 600):
        assert num_blocks <= table_width(num_blocks) < num_blocks + 8


def test_rows_and_entries_are_padded_with_zeros() -> None:
    table = pad_tables([[5, 3, 9], [7]], num_rows=3)
    assert table.dtype == np.int32
    np.testing.assert_array_equal(table, [[5, 3, 9, 0], [7, 0, 0, 0], [0, 0, 0, 0]])


def test_no_tables_at_all() -> None:
    np.testing.assert_array_equal(pad_tables([], num_rows=2), [[0], [0]])


def test_more_tables_than_rows_are_our_mistake() -> None:
    with pytest.raises(AssertionError, match="2 tables for 1 rows"):
        pad_tables([[1], [2]], num_rows=1)
