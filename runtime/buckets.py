"""Which compiled shape a step runs in, and which requests fill it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from octavo.config import Bucket

# What a step costs beside its tokens, in tokens: reading the weights once. About 4 on a CPU core in f32 and
# 200 on a GPU in bf16; choices hardly change between the two.
_OVERHEAD_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Choice:
    """A bucket, and the requests in it as indices into the list that was asked about."""

    bucket: Bucket
    rows: tuple[int, ...]


class BucketPolicy:
    """Chooses a step's bucket so that little is padded and every request moves on.

    A request *needs* as many tokens as it has uncomputed: 1 when it decodes, many when its prompt waits.
    Requests come ordered by urgency, the longest waiting first, and three rules decide:

    1. The most urgent request is in the step. A request that has waited longest is therefore never passed
       over, and no stream of new prompts can starve a decode or the reverse.
    2. A request joins a bucket only if the bucket finishes its need or is of the longest length that the
       need fills: a prompt of 300 tokens does not trickle through one-token decode steps, while a decode
       may use an idle row of a chunk step, which costs nothing.
    3. Among the buckets, the one with the highest *yield* runs. A bucket costs `overhead + batch *
       num_tokens`; a token is worth what it would cost in the bucket that suits its need best, full of such
       needs; the yield is the worth of a step's tokens over its cost, 1 when nothing is wasted.

    With decodes and a long prompt waiting, decode steps and chunk steps alternate: a padded mixture of both
    is chosen only where the compiled shapes offer nothing better.
    """

    def __init__(self, buckets: Sequence[Bucket]) -> None:
        """Prepare the prices of all needs; `ValueError` when there is no bucket."""
        if not buckets:
            raise ValueError("buckets: expected at least one, got none")
        self._buckets = sorted(buckets, key=lambda bucket: (_cost(bucket), bucket))
        self._lengths = sorted({bucket.num_tokens for bucket in buckets})
        self._prices = [0.0, *map(self._price, range(1, self._lengths[-1] + 1))]

    def choose(self, needs: Sequence[int]) -> Choice:
        """Return the step for requests that need `needs` tokens each, most urgent first."""
        assert needs, "a step is planned for no request"
        needs = [min(need, self._lengths[-1]) for need in needs]
        choices = [self._fill(bucket, needs) for bucket in self._buckets]
        possible = [choice for choice in choices if 0 in choice.rows]
        # max keeps the first of equals, which is the cheapest.
        return max(possible, key=lambda choice: self._yield(choice, needs))

    def _fill(self, bucket: Bucket, needs: Sequence[int]) -> Choice:
        rows = [
            row for row, need in enumerate(needs) if self._least_length(need) <= bucket.num_tokens
        ]
        return Choice(bucket, tuple(rows[: bucket.batch]))

    def _least_length(self, need: int) -> int:
        """Return the longest compiled length that `need` fills, or 0 when it fills none."""
        shorter = bisect_right(self._lengths, need)
        return self._lengths[shorter - 1] if shorter else 0

    def _yield(self, choice: Choice, needs: Sequence[int]) -> float:
        length = choice.bucket.num_tokens
        worth = sum(min(needs[row], length) * self._prices[needs[row]] for row in choice.rows)
        return worth / _cost(choice.bucket)

    def _price(self, need: int) -> float:
        """Return the least cost of one of `need` tokens, over buckets full of rows that need as many."""
        return min(
            _cost(bucket) / (bucket.batch * min(need, bucket.num_tokens))
            for bucket in self._buckets
        )


def _cost(bucket: Bucket) -> int:
    return _OVERHEAD_TOKENS + bucket.batch * bucket.num_tokens
