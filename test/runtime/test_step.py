import numpy as np
import pytest

from octavo.config import Bucket
from octavo.runtime.step import Row, Step, StepLimits, check_arrays


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


LIMITS = StepLimits(vocab_size=64, num_blocks=5, block_size=16)


def check(**changes: object) -> None:
    """Check a step of two rows of one token with a table of two blocks, with changes."""
    arrays = {"tokens": [[63], [0]], "start": [31, 0], "lens": [1, 0], "table": [[4, 0], [0, 0]]}
    check_arrays(
        **{name: np.array(value, np.int32) for name, value in {**arrays, **changes}.items()},
        limits=LIMITS,
    )


def test_the_last_token_block_and_slot_are_valid() -> None:
    check()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("tokens", [[64], [0]], r"tokens: expected 0 to 63 \(the vocabulary's\), got 64"),
        ("tokens", [[0], [-1]], "tokens: expected 0 to 63 .* got -1"),
        ("table", [[4, 0], [0, 5]], r"table: expected 0 to 4 \(block numbers, .*\), got 5"),
        ("table", [[4, 2**31 - 1], [0, 0]], "table: expected 0 to 4 .* got 2147483647"),
        ("table", [[-1, 0], [0, 0]], "table: expected 0 to 4 .* got -1"),
        ("lens", [2, 0], "lens: expected 0 to 1 .* got 2"),
        ("lens", [1, -1], "lens: expected 0 to 1 .* got -1"),
        ("start", [-1, 0], "start: expected 0 to 32 .* got -1"),
        ("start", [32, 0], r"start \+ lens: expected at most 32, .* got 33"),
    ],
)
def test_what_leads_outside_is_named(name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(**{name: value})
