"""Reference counts of the KV blocks."""

from collections import OrderedDict
from collections.abc import Sequence


class BlockPool:
    """Hands out the blocks of the KV pools by id.

    A block is *in use* (its count is above 0 and it is in no list) or *free* (its count is 0 and it is in
    the free list). The free list is ordered by the time of release, oldest first: `allocate` takes from its
    head, `free` appends a request's blocks last to first. A block that keeps its contents while it waits in
    the list is thus lost as late as possible, and the end of a sequence before its beginning. The list
    allows removal from the middle, so that `touch` can one day take such a block back.

    The pool knows ids alone; the contents belong to the executable.
    """

    def __init__(self, num_blocks: int) -> None:
        """Make a pool with blocks `0 .. num_blocks - 1`, all free."""
        if num_blocks < 1:
            raise ValueError(f"num_blocks: expected at least 1, got {num_blocks}")
        self._refs = [0] * num_blocks
        self._free = OrderedDict.fromkeys(range(num_blocks))

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, free or not."""
        return len(self._refs)

    @property
    def num_free(self) -> int:
        """Blocks that `allocate` can hand out now."""
        return len(self._free)

    def can_allocate(self, num_blocks: int) -> bool:
        """Tell whether `allocate(num_blocks)` would succeed."""
        return num_blocks <= len(self._free)

    def allocate(self, num_blocks: int) -> list[int]:
        """Take `num_blocks` free blocks, each with one reference; the caller checks `can_allocate` first."""
        assert self.can_allocate(num_blocks), (
            f"asked for {num_blocks} blocks, {self.num_free} are free"
        )
        blocks = [self._free.popitem(last=False)[0] for _ in range(num_blocks)]
        for block in blocks:
            self._refs[block] = 1
        return blocks

    def touch(self, blocks: Sequence[int]) -> None:
        """Add a reference to blocks in use, so that a second request may read them."""
        for block in blocks:
            assert self._refs[block] > 0, f"block {block} is shared but not in use"
            self._refs[block] += 1

    def free(self, blocks: Sequence[int]) -> None:
        """Drop one reference to each block of a request, given in the request's order."""
        for block in reversed(blocks):
            assert self._refs[block] > 0, f"block {block} is freed but not in use"
            self._refs[block] -= 1
            if self._refs[block] == 0:
                self._free[block] = None

    def check_integrity(self) -> None:
        """Recompute the free blocks from the counts; raise `AssertionError` if the list disagrees."""
        assert min(self._refs) >= 0, f"a block has a negative count: {self._refs}"
        unused = {block for block, refs in enumerate(self._refs) if refs == 0}
        assert unused == set(self._free), (
            f"unused blocks {sorted(unused)}, free list {list(self._free)}"
        )
