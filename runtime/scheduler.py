"""Which requests run in the next step, and with which blocks."""

from collections import Counter, deque
from collections.abc import Sequence

from octavo.config import Bucket
from octavo.runtime.buckets import BucketPolicy
from octavo.runtime.kv.block_pool import BlockPool
from octavo.runtime.kv.block_table import num_blocks_for
from octavo.runtime.request import Request
from octavo.runtime.step import Row, Step


class Scheduler:
    """Continuous batching over a pool of KV blocks, without a prefill or a decode phase.

    A request lives in one of two places. *Waiting*, it owns no block and nothing of it is computed.
    *Running*, it owns blocks for every token known of it and takes part in steps until it leaves. Both are
    in order of arrival, and whatever runs arrived before whatever waits.

    Each `plan` does three things, in this order:

    1. Reserve: running requests, oldest first, take the block that their last token spilled into. When none
       is free, the newest running request is preempted: its blocks are freed and it returns to the head of
       the queue, to compute its tokens again later. The oldest request can always go on, so the engine
       never stalls, given that no request alone is larger than the pool.
    2. Admit: waiting requests, in order, when all their tokens fit and a block is left for each running
       request. Without that margin a long prompt would be computed only to be preempted a few tokens later.
    3. Choose rows and bucket by `BucketPolicy`, the request that has waited for most steps first. A running
       request waits for fewer steps than there are running requests.

    A plan changes blocks and queues but no request's progress: until `complete`, a step may fail and be
    planned again.
    """

    def __init__(
        self, pool: BlockPool, block_size: int, buckets: Sequence[Bucket], max_running: int
    ) -> None:
        """Schedule onto `pool`; `max_running` requests at most own blocks at a time."""
        if max_running < 1:
            raise ValueError(f"max_running: expected at least 1, got {max_running}")
        self._pool = pool
        self._block_size = block_size
        self._policy = BucketPolicy(buckets)
        self._max_running = max_running
        self._waiting: deque[Request] = deque()
        self._running: list[Request] = []
        self._num_steps = 0

    def add(self, request: Request) -> None:
        """Queue a request that fits the pool when it runs alone."""
        self._waiting.append(request)

    def remove(self, request: Request) -> None:
        """Forget a request and free its blocks."""
        if request in self._waiting:
            self._waiting.remove(request)
            return
        self._running.remove(request)
        self._release(request)

    def plan(self) -> Step | None:
        """Return the next step, or `None` when there is no request."""
        preempted = self._reserve()
        self._admit()
        if not self._running:
            assert not self._waiting, "a waiting request does not fit an empty pool"
            return None
        urgent = sorted(self._running, key=lambda request: (request.last_step, request.id))
        choice = self._policy.choose([request.num_uncomputed for request in urgent])
        rows = [self._row(urgent[idx], choice.bucket) for idx in choice.rows]
        return Step(choice.bucket, tuple(rows), tuple(preempted))

    def complete(self, step: Step) -> None:
        """Record that `step` ran."""
        self._num_steps += 1
        running = {request.id: request for request in self._running}
        for row in step.rows:
            request = running[row.request_id]
            request.num_computed += row.num_tokens
            request.last_step = self._num_steps

    def check_integrity(self) -> None:
        """Recompute who owns which block; raise `AssertionError` on a leak or a block of two owners."""
        self._pool.check_integrity()
        owners = Counter(block for request in self._running for block in request.block_ids)
        shared = [block for block, count in owners.items() if count > 1]
        assert not shared, f"blocks {shared} have two owners"
        num_used = self._pool.num_blocks - self._pool.num_free
        assert len(owners) == num_used, (
            f"requests own {len(owners)} blocks, the pool says {num_used}"
        )
        idle = [request.id for request in self._waiting if request.block_ids]
        assert not idle, f"waiting requests {idle} own blocks"
        arrivals = [request.id for request in (*self._running, *self._waiting)]
        assert arrivals == sorted(arrivals), f"requests are out of order: {arrivals}"

    def _reserve(self) -> list[int]:
        preempted: list[int] = []
        for request in tuple(self._running):
            while request in self._running and not self._grow(request):
                preempted.append(self._preempt_newest())
        return preempted

    def _admit(self) -> None:
        while self._waiting and len(self._running) < self._max_running:
            request = self._waiting[0]
            needed = num_blocks_for(len(request.token_ids), self._block_size)
            if not self._pool.can_allocate(needed + len(self._running)):
                return
            self._waiting.popleft()
            self._running.append(request)
            # It queues behind those that waited as long, so arrivals cannot overtake running requests.
            request.last_step = self._num_steps
            self._grow(request)

    def _grow(self, request: Request) -> bool:
        """Give `request` blocks for all its tokens; return whether there were enough."""
        missing = num_blocks_for(len(request.token_ids), self._block_size) - len(request.block_ids)
        if not self._pool.can_allocate(missing):
            return False
        request.block_ids += self._pool.allocate(missing)
        return True

    def _preempt_newest(self) -> int:
        request = self._running.pop()
        self._release(request)
        self._waiting.appendleft(request)
        return request.id

    def _release(self, request: Request) -> None:
        self._pool.free(request.block_ids)
        request.block_ids = []
        request.num_computed = 0

    def _row(self, request: Request, bucket: Bucket) -> Row:
        start = request.num_computed
        tokens = request.token_ids[start : start + bucket.num_tokens]
        num_blocks = num_blocks_for(start + len(tokens), self._block_size)
        return Row(
            request_id=request.id,
            token_ids=tuple(tokens),
            start=start,
            block_ids=tuple(request.block_ids[:num_blocks]),
            is_last=start + len(tokens) == len(request.token_ids),
        )
