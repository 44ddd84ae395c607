"""The plan of one step: what the scheduler tells the engine to compute."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.config import Bucket
from octavo.runtime.kv.block_table import pad_tables

Int32Array = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Row:
    """One request's part of a step.

    Attributes:
        request_id: whose it is.
        token_ids: new tokens, at least one.
        start: tokens of the request that are in the cache already.
        block_ids: its block table, for all its tokens up to these.
        is_last: whether these tokens end what is known of the request, so that its next token is sampled.
    """

    request_id: int
    token_ids: tuple[int, ...]
    start: int
    block_ids: tuple[int, ...]
    is_last: bool

    @property
    def num_tokens(self) -> int:
        """New tokens in this step."""
        return len(self.token_ids)


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the executable.

    Attributes:
        bucket: compiled shape it runs in.
        rows: at most `bucket.batch`, each of at most `bucket.num_tokens` tokens.
        preempted: requests that lost their blocks to make this step possible.
    """

    bucket: Bucket
    rows: tuple[Row, ...]
    preempted: tuple[int, ...] = ()

    def arrays(self) -> tuple[Int32Array, Int32Array, Int32Array, Int32Array]:
        """Return `tokens [B, T]`, `start [B]`, `lens [B]` and `table [B, M]`; idle rows are all 0."""
        tokens = np.zeros((self.bucket.batch, self.bucket.num_tokens), np.int32)
        for idx, row in enumerate(self.rows):
            tokens[idx, : row.num_tokens] = row.token_ids
        start = _column([row.start for row in self.rows], self.bucket.batch)
        lens = _column([row.num_tokens for row in self.rows], self.bucket.batch)
        return (
            tokens,
            start,
            lens,
            pad_tables([row.block_ids for row in self.rows], self.bucket.batch),
        )


def _column(values: Sequence[int], num_rows: int) -> Int32Array:
    column = np.zeros(num_rows, np.int32)
    column[: len(values)] = values
    return column
