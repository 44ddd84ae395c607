import pytest
from hypothesis import settings, strategies
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
)

from octavo.runtime.kv.block_pool import BlockPool


def test_fresh_blocks_come_in_order() -> None:
    pool = BlockPool(11)
    assert pool.allocate(3) == [0, 1, 2]
    assert pool.allocate(2) == [3, 4]
    assert (pool.num_blocks, pool.num_free) == (11, 6)


def test_the_longest_free_goes_first_and_of_a_request_its_end() -> None:
    pool = BlockPool(5)
    a, b = pool.allocate(2), pool.allocate(3)
    # b = [2, 3, 4] is released last to first, then a = [0, 1] likewise: the list is 4 3 2 1 0.
    pool.free(b)
    pool.free(a)
    assert pool.allocate(5) == [4, 3, 2, 1, 0]


def test_never_used_blocks_go_before_released_ones() -> None:
    pool = BlockPool(4)
    pool.free(pool.allocate(2))  # the list is 2 3 1 0
    assert pool.allocate(3) == [2, 3, 1]


def test_a_shared_block_is_free_when_its_last_owner_is_done() -> None:
    pool = BlockPool(3)
    blocks = pool.allocate(2)
    pool.touch(blocks[:1])
    pool.free(blocks)
    assert pool.num_free == 2  # block 1 and the unused block 2
    assert pool.allocate(2) == [2, 1]
    pool.free([0])
    assert pool.allocate(1) == [0]


def test_can_allocate_is_exact() -> None:
    pool = BlockPool(2)
    assert pool.can_allocate(2)
    assert not pool.can_allocate(3)
    assert pool.can_allocate(0)


def test_an_empty_pool_is_refused() -> None:
    with pytest.raises(ValueError, match="num_blocks: expected at least 1, got 0"):
        BlockPool(0)


def test_our_mistakes_are_assertions() -> None:
    pool = BlockPool(2)
    with pytest.raises(AssertionError, match="asked for 3 blocks, 2 are free"):
        pool.allocate(3)
    with pytest.raises(AssertionError, match="block 1 is freed but not in use"):
        pool.free([1])
    with pytest.raises(AssertionError, match="block 0 is shared but not in use"):
        pool.touch([0])
    blocks = pool.allocate(1)
    pool.free(blocks)
    with pytest.raises(AssertionError, match="block 0 is freed but not in use"):
        pool.free(blocks)


def test_integrity_finds_a_block_that_leaked() -> None:
    pool = BlockPool(2)
    pool.allocate(1)
    pool._refs[0] = 0
    with pytest.raises(AssertionError, match=r"unused blocks \[0, 1\], free list \[1\]"):
        pool.check_integrity()


class PoolMachine(RuleBasedStateMachine):
    """Requests come, share and go in any order; a dictionary of counts and a list say what must be."""

    requests = Bundle("requests")

    def __init__(self) -> None:
        super().__init__()
        self.pool = BlockPool(7)
        self.counts = dict.fromkeys(range(7), 0)
        self.free = list(range(7))

    @rule(target=requests, num_blocks=strategies.integers(0, 8))
    def allocate(self, num_blocks: int) -> object:
        if num_blocks > len(self.free):
            assert not self.pool.can_allocate(num_blocks)
            return multiple()
        expected, self.free = self.free[:num_blocks], self.free[num_blocks:]
        blocks = self.pool.allocate(num_blocks)
        assert blocks == expected
        self.counts.update(dict.fromkeys(blocks, 1))
        return tuple(blocks)

    @rule(target=requests, blocks=requests)
    def share(self, blocks: tuple[int, ...]) -> tuple[int, ...]:
        self.pool.touch(blocks)
        for block in blocks:
            self.counts[block] += 1
        return blocks

    @rule(blocks=consumes(requests))
    def release(self, blocks: tuple[int, ...]) -> None:
        self.pool.free(blocks)
        for block in reversed(blocks):
            self.counts[block] -= 1
            if not self.counts[block]:
                self.free.append(block)

    @precondition(lambda self: self.free)
    @rule(data=strategies.data())
    def release_twice(self, data: strategies.DataObject) -> None:
        with pytest.raises(AssertionError):
            self.pool.free([data.draw(strategies.sampled_from(self.free))])

    @invariant()
    def agrees(self) -> None:
        self.pool.check_integrity()
        assert self.pool.num_free == len(self.free)


TestPoolMachine = PoolMachine.TestCase
TestPoolMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
