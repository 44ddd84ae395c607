"""A pool of 11 blocks of 16 tokens, unless a test says otherwise."""

from collections.abc import Sequence

import numpy as np
import pytest

from octavo.config import Bucket
from octavo.runtime.kv.block_pool import BlockPool
from octavo.runtime.request import Request, SamplingParams
from octavo.runtime.scheduler import Scheduler
from octavo.runtime.step import Step

BUCKETS = tuple(Bucket(*shape) for shape in ((1, 1), (4, 1), (1, 16), (1, 64), (4, 32)))


class Fixture:
    """A scheduler, its pool and its requests; `run` stands in for the engine and generates token 9."""

    def __init__(
        self, num_blocks: int = 11, max_running: int = 4, buckets: Sequence[Bucket] = BUCKETS
    ) -> None:
        self.pool = BlockPool(num_blocks)
        self.scheduler = Scheduler(self.pool, 16, buckets, max_running)
        self.requests: dict[int, Request] = {}

    def add(self, num_tokens: int) -> Request:
        idx = len(self.requests)
        request = Request(idx, [5] * num_tokens, num_tokens, 10**6, SamplingParams(), seed=idx)
        self.requests[idx] = request
        self.scheduler.add(request)
        return request

    def plan(self) -> Step:
        step = self.scheduler.plan()
        self.scheduler.check_integrity()
        assert step is not None
        assert len(step.rows) <= step.bucket.batch
        assert all(1 <= row.num_tokens <= step.bucket.num_tokens for row in step.rows)
        return step

    def run(self) -> Step:
        step = self.plan()
        self.scheduler.complete(step)
        for row in step.rows:
            if row.is_last:
                self.requests[row.request_id].token_ids.append(9)
        return step

    def run_until_decoding(self) -> None:
        while any(request.num_uncomputed > 1 for request in self.requests.values()):
            self.run()


def shape(step: Step) -> tuple[tuple[int, int], list[tuple[int, int, int]]]:
    """The bucket, and id, start and number of tokens of each row."""
    bucket = (step.bucket.batch, step.bucket.num_tokens)
    return bucket, [(row.request_id, row.start, row.num_tokens) for row in step.rows]


def test_nothing_to_do() -> None:
    assert Fixture().scheduler.plan() is None


def test_a_prompt_is_chunked_and_then_decodes() -> None:
    fixture = Fixture()
    fixture.add(70)
    # A full chunk, then the 6 tokens that are left in the shortest step that holds them.
    assert shape(fixture.run()) == ((1, 64), [(0, 0, 64)])
    assert shape(fixture.run()) == ((1, 16), [(0, 64, 6)])
    assert shape(fixture.run()) == ((1, 1), [(0, 70, 1)])
    assert shape(fixture.run()) == ((1, 1), [(0, 71, 1)])


def test_only_the_last_chunk_samples() -> None:
    fixture = Fixture()
    fixture.add(70)
    assert [fixture.run().rows[0].is_last for _ in range(3)] == [False, True, True]


def test_blocks_come_at_admission_and_as_the_text_grows() -> None:
    fixture = Fixture()
    a, b = fixture.add(33), fixture.add(16)
    fixture.plan()
    # 33 tokens take blocks 0, 1, 2; the 16 of b take block 3 alone.
    assert (a.block_ids, b.block_ids) == ([0, 1, 2], [3])
    fixture.run_until_decoding()
    # b's 17th token, sampled by its only chunk, spilled into the next free block.
    fixture.plan()
    assert (a.block_ids, b.block_ids) == ([0, 1, 2], [3, 4])


def test_a_chunk_reads_the_blocks_up_to_its_end() -> None:
    fixture = Fixture()
    request = fixture.add(70)
    first, second = fixture.run(), fixture.run()
    assert request.block_ids[:5] == [0, 1, 2, 3, 4]
    assert first.rows[0].block_ids == (0, 1, 2, 3)
    assert second.rows[0].block_ids == (0, 1, 2, 3, 4)


def test_removed_requests_give_their_blocks_to_the_next() -> None:
    fixture = Fixture()
    a = fixture.add(33)
    fixture.add(16)
    fixture.plan()
    fixture.scheduler.remove(a)
    # Free: 4 .. 10, then a's blocks 0 1 2 last to first, so 2 1 0. With one running, one block is kept back.
    c = fixture.add(9 * 16)
    fixture.plan()
    assert c.block_ids == [4, 5, 6, 7, 8, 9, 10, 2, 1]


def test_a_waiting_request_can_be_removed() -> None:
    fixture = Fixture(max_running=1)
    fixture.add(5)
    waiting = fixture.add(5)
    fixture.plan()
    fixture.scheduler.remove(waiting)
    assert [row.request_id for row in fixture.run().rows] == [0]


def test_admission_is_in_order_and_leaves_room_to_grow() -> None:
    fixture = Fixture()
    a, b, c = fixture.add(7 * 16), fixture.add(4 * 16), fixture.add(1)
    fixture.plan()
    # a took 7 of 11. b fits the 4 left, but a may need one of them soon; c fits, but may not overtake b.
    assert (len(a.block_ids), b.block_ids, c.block_ids) == (7, [], [])
    fixture.scheduler.remove(a)
    fixture.plan()
    assert (len(b.block_ids), len(c.block_ids)) == (4, 1)


def test_no_more_run_than_are_allowed() -> None:
    fixture = Fixture(max_running=2)
    requests = [fixture.add(1) for _ in range(3)]
    fixture.plan()
    assert [len(request.block_ids) for request in requests] == [1, 1, 0]


def test_when_blocks_run_out_the_newest_starts_over() -> None:
    fixture = Fixture(num_blocks=3)
    a, b = fixture.add(16), fixture.add(12)
    fixture.run_until_decoding()
    # a: block 0, and 2 since its 17th token; b: block 1, which was admitted because 2 was left for a to grow.
    assert (a.block_ids, b.block_ids) == ([0, 2], [1])
    while len(b.token_ids) < 17:
        assert fixture.run().preempted == ()
    # b's 17th token needs a fourth block. b is the newest itself: it gives back block 1 and waits.
    step = fixture.run()
    assert step.preempted == (1,)
    assert (b.block_ids, b.num_computed, len(b.token_ids)) == ([], 0, 17)
    assert [row.request_id for row in step.rows] == [0]


def test_the_oldest_takes_the_block_of_the_newest() -> None:
    fixture = Fixture(num_blocks=4)
    a, b, c = fixture.add(15), fixture.add(1), fixture.add(1)
    fixture.plan()
    # Blocks 0, 1 for a and b; c needs one and two more to grow into, which is one more than there are.
    assert (a.block_ids, b.block_ids, c.block_ids) == ([0], [1], [])
    fixture.scheduler.remove(c)
    fixture.run_until_decoding()
    b.token_ids += [7] * 16  # as if b had decoded on: its next block is 2
    fixture.run()
    a.token_ids += [7] * 33  # and a needs two more, of which 3 is free
    step = fixture.plan()
    # b, the newest, is preempted: 3 is left, and b's blocks 1 2 return as 2 1. a takes 3 and 2.
    assert step.preempted == (1,)
    assert a.block_ids[:3] == [0, 3, 2]
    assert [row.request_id for row in step.rows] == [0]


def test_a_preempted_request_is_the_first_to_return_and_computes_all_again() -> None:
    fixture = Fixture(num_blocks=3)
    a, b, late = fixture.add(16), fixture.add(12), fixture.add(1)
    while not fixture.run().preempted:
        pass
    num_tokens = len(b.token_ids)
    fixture.scheduler.remove(a)
    step = fixture.plan()
    # Free are 1 (b's), then a's 0 2 as 2 0. b needs two: 1 2. One is left, which b may need to grow, so late
    # waits.
    assert (b.block_ids, late.block_ids) == ([1, 2], [])
    assert [(row.request_id, row.start) for row in step.rows] == [(1, 0)]
    assert b.num_uncomputed == num_tokens


def test_a_failed_step_is_planned_again() -> None:
    fixture = Fixture()
    fixture.add(40)
    fixture.add(3)
    assert fixture.plan() == fixture.plan()


def test_decodes_and_a_long_prompt_take_turns() -> None:
    fixture = Fixture(num_blocks=64)
    for _ in range(3):
        fixture.add(1)
    fixture.run()
    fixture.add(300)
    steps = [shape(fixture.run())[0] for _ in range(8)]
    assert steps == [(4, 1), (1, 64)] * 4


def test_new_prompts_cannot_starve_a_decode() -> None:
    fixture = Fixture(num_blocks=64)
    fixture.add(1)
    waited = 0
    for _ in range(60):
        fixture.add(64)  # more than a step computes, so prompts queue up
        step = fixture.run()
        waited = 0 if any(row.request_id == 0 for row in step.rows) else waited + 1
        assert waited < 4
        for row in step.rows:
            if row.request_id != 0 and row.is_last:
                fixture.scheduler.remove(fixture.requests[row.request_id])


def test_no_running_request_waits_longer_than_there_are_running_ones(
    rng: np.random.Generator,
) -> None:
    for _ in range(20):
        fixture = Fixture(num_blocks=200, max_running=6)
        requests = [fixture.add(int(rng.integers(1, 200))) for _ in range(6)]
        waited = dict.fromkeys(range(6), 0)
        for _ in range(60):
            served = {row.request_id for row in fixture.run().rows}
            waited = {idx: 0 if idx in served else waited[idx] + 1 for idx in waited}
            assert max(waited.values()) < len(requests)


def test_integrity_finds_a_block_of_two_owners() -> None:
    fixture = Fixture()
    a, b = fixture.add(1), fixture.add(1)
    fixture.plan()
    b.block_ids = a.block_ids
    with pytest.raises(AssertionError, match=r"blocks \[0\] have two owners"):
        fixture.scheduler.check_integrity()


def test_integrity_finds_a_leak() -> None:
    fixture = Fixture()
    request = fixture.add(1)
    fixture.plan()
    request.block_ids = []
    with pytest.raises(AssertionError, match="requests own 0 blocks, the pool says 1"):
        fixture.scheduler.check_integrity()


def test_at_least_one_request_must_run() -> None:
    with pytest.raises(ValueError, match="max_running: expected at least 1, got 0"):
        Fixture(max_running=0)
