import numpy as np
import pytest

from octavo.config import Bucket
from octavo.runtime.step import Row, Step


def test_rows_become_padded_arrays() -> None:
    prompt = Row(request_id=4, token_ids=(7, 8, 9), start=16, block_ids=(5, 2), is_last=False)
    decode = Row(request_id=1, token_ids=(3,), start=32, block_ids=(0, 1, 6), is_last=True)

    tokens, start, lens, table = Step(Bucket(3, 4), (prompt, decode)).arrays()

    np.testing.assert_array_equal(tokens, [[7, 8, 9, 0], [3, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(start, [16, 32, 0])
    np.testing.assert_array_equal(lens, [3, 1, 0])
    # 3 blocks at most, so the table is 4 wide.
    np.testing.assert_array_equal(table, [[5, 2, 0, 0], [0, 1, 6, 0], [0, 0, 0, 0]])
    assert {array.dtype for array in (tokens, start, lens, table)} == {np.dtype(np.int32)}


@pytest.mark.parametrize("num_tokens", [1, 4])
def test_a_full_row_has_no_padding(num_tokens: int) -> None:
    row = Row(0, tuple(range(num_tokens)), 0, (3,), True)
    tokens, _, lens, _ = Step(Bucket(1, num_tokens), (row,)).arrays()
    np.testing.assert_array_equal(tokens, [list(range(num_tokens))])
    np.testing.assert_array_equal(lens, [num_tokens])
