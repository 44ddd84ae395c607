"""Block tables: which blocks hold a request's tokens, in order, as the array a program reads."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_WIDTH_STEP = 8


def num_blocks_for(num_tokens: int, block_size: int) -> int:
    """Return how many blocks of `block_size` tokens hold `num_tokens` tokens."""
    return -(-num_tokens // block_size)


def table_width(num_blocks: int) -> int:
    """Round a table's width up: to a power of two up to 8, to a multiple of 8 above.

    A program's work follows the width of its table, so rounding costs at most 7 blocks of reading; in
    return the shapes repeat from step to step, and a device reuses the buffers it made for them.
    """
    if num_blocks > _WIDTH_STEP:
        return num_blocks_for(num_blocks, _WIDTH_STEP) * _WIDTH_STEP
    return 1 << max(num_blocks - 1, 0).bit_length()


def pad_tables(tables: Sequence[Sequence[int]], num_rows: int) -> NDArray[np.int32]:
    """Return `[num_rows, M]` i32; rows and entries that no block fills are 0.

    What stands there changes no result, but it must be the number of a block: a program may compute the
    address of an entry beyond a row's tokens, and load what lies there before it masks it. Block 0 always is.
    """
    assert len(tables) <= num_rows, f"{len(tables)} tables for {num_rows} rows"
    width = table_width(max(map(len, tables), default=0))
    padded = np.zeros((num_rows, width), np.int32)
    for row, table in zip(padded, tables, strict=False):
        row[: len(table)] = table
    return padded
