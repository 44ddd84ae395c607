"""The plan of one step: what the scheduler tells the engine to compute."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from octavo.config import Bucket
from octavo.runtime.kv.block_table import pad_tables

Int32Array = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class StepLimits:
    """What the numbers in a step's arrays may reach: vocabulary, blocks of the cache, tokens of a block."""

    vocab_size: int
    num_blocks: int
    block_size: int


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


def check_arrays(
    tokens: Int32Array, start: Int32Array, lens: Int32Array, table: Int32Array, limits: StepLimits
) -> None:
    """Raise `ValueError` for values with which a program would read or write outside its arrays.

    Every entry of the table counts, also those beyond a row's tokens: a program may compute their addresses,
    and read what lies there before it masks it. Shapes are the device's to check.
    """
    last_token, last_block = limits.vocab_size - 1, limits.num_blocks - 1
    _check_range("tokens", tokens, 0, last_token, "the vocabulary's")
    _check_range("table", table, 0, last_block, "block numbers, in unused entries too")
    _check_range("lens", lens, 0, tokens.shape[-1], "the bucket's tokens at most")
    room = table.shape[-1] * limits.block_size
    _check_range("start", start, 0, room, "tokens that the table's blocks hold")
    if start.shape == lens.shape and (longest := int((start + lens).max(initial=0))) > room:
        raise ValueError(
            f"start + lens: expected at most {room}, the tokens that {table.shape[-1]} blocks of "
            f"{limits.block_size} hold, got {longest}"
        )


def _check_range(name: str, array: Int32Array, least: int, most: int, what: str) -> None:
    if not array.size:
        return
    for found in (int(array.min()), int(array.max())):
        if not least <= found <= most:
            raise ValueError(f"{name}: expected {least} to {most} ({what}), got {found}")


def _column(values: Sequence[int], num_rows: int) -> Int32Array:
    column = np.zeros(num_rows, np.int32)
    column[: len(values)] = values
    return column
