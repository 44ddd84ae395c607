import numpy as np
import pytest

from octavo.config import Bucket
from octavo.runtime.buckets import BucketPolicy, Choice

# Costs with 16 tokens of overhead:          17      20      32       80       144
BUCKETS = [Bucket(*shape) for shape in ((1, 1), (4, 1), (1, 16), (1, 64), (4, 32))]
# Least cost of a token, so its worth:  need 1: 20/4 = 5     need 20: 144/80 = 1.8     need 30: 144/120 = 1.2
# need of 32 and more: 144/128 = 1.125, which is below 80/64.


@pytest.mark.parametrize(
    ("needs", "bucket", "rows"),
    [
        # 5/17 beats 5/20.
        ([1], (1, 1), (0,)),
        # 10/20 beats 5/17.
        ([1, 1], (4, 1), (0, 1)),
        # Full: 20/20. The fifth waits.
        ([1, 1, 1, 1, 1], (4, 1), (0, 1, 2, 3)),
        # 16 x 1.8 / 32 = 0.9 beats 20 x 1.8 / 80 = 0.45 in (1, 64): the rest of 4 comes cheaper later.
        ([20], (1, 16), (0,)),
        # The longest chunk that it fills: (4, 32) is none of its buckets.
        ([300], (1, 64), (0,)),
        # 120 x 1.2 / 144 = 1 beats 16 x 1.2 / 32.
        ([30, 30, 30, 30], (4, 32), (0, 1, 2, 3)),
        # The decode takes the idle row: (90 x 1.2 + 5) / 144 = 0.78 beats 0.6.
        ([30, 30, 30, 1], (4, 32), (0, 1, 2, 3)),
        # The prompt's turn, then the decode's: (36 + 5) / 144 beats neither 0.56 in (1, 64) nor 5/17.
        ([40, 1], (1, 64), (0,)),
        ([1, 40], (1, 1), (0,)),
        # A long prompt does not trickle through decode steps, although a row is idle.
        ([1, 1, 1, 300], (4, 1), (0, 1, 2)),
    ],
)
def test_choice(needs: list[int], bucket: tuple[int, int], rows: tuple[int, ...]) -> None:
    assert BucketPolicy(BUCKETS).choose(needs) == Choice(Bucket(*bucket), rows)


def test_the_order_of_the_buckets_is_of_no_account(rng: np.random.Generator) -> None:
    for _ in range(50):
        needs = rng.integers(1, 100, rng.integers(1, 8)).tolist()
        shuffled = rng.permutation(len(BUCKETS))
        other = BucketPolicy([BUCKETS[idx] for idx in shuffled])
        assert other.choose(needs) == BucketPolicy(BUCKETS).choose(needs)


def test_rules_hold_for_any_buckets_and_needs(rng: np.random.Generator) -> None:
    for _ in range(300):
        shapes = {
            (int(rng.integers(1, 9)), int(rng.integers(1, 65))) for _ in range(rng.integers(1, 7))
        }
        buckets = [Bucket(*shape) for shape in shapes]
        needs = [int(need) for need in rng.geometric(0.05, rng.integers(1, 12))]

        bucket, rows = (choice := BucketPolicy(buckets).choose(needs)).bucket, choice.rows

        assert bucket in buckets
        assert rows[0] == 0, "the most urgent request is in the step"
        assert list(rows) == sorted(set(rows))
        assert len(rows) <= bucket.batch
        lengths = {b.num_tokens for b in buckets}
        for row in rows:
            assert bucket.num_tokens >= needs[row] or not any(
                bucket.num_tokens < length <= needs[row] for length in lengths
            ), f"need {needs[row]} trickles through {bucket}"


def test_without_a_one_token_bucket_decodes_are_padded() -> None:
    assert BucketPolicy([Bucket(2, 8)]).choose([1, 1, 20]) == Choice(Bucket(2, 8), (0, 1))


def test_no_bucket_is_refused() -> None:
    with pytest.raises(ValueError, match="buckets: expected at least one, got none"):
        BucketPolicy([])
