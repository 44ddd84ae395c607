"""The engine: requests of token ids in, tokens out, one step at a time."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from octavo.arguments import integer, optional_integer
from octavo.config import ModelConfig
from octavo.errors import CapacityError
from octavo.progress import counted
from octavo.runtime.executable import Executable
from octavo.runtime.kv.block_pool import BlockPool
from octavo.runtime.kv.block_table import num_blocks_for
from octavo.runtime.request import FinishReason, Request, SamplingParams
from octavo.runtime.sampler import sample
from octavo.runtime.scheduler import Scheduler

_MAX_BLOCKS = 2**31 - 1  # block tables are i32


@dataclass(frozen=True, slots=True)
class TokenOutput:
    """A new token of a request, and why it is the last, if it is."""

    request_id: int
    token_id: int
    finish_reason: FinishReason | None


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How much the engine takes on.

    Attributes:
        num_blocks: blocks in the KV pools. max_batch: requests that run at a time; `None` for the rows of
        the largest bucket. max_step_tokens: tokens a step computes at most, padding included; larger
        buckets are not used. Bounds
            how long a prompt's chunk keeps the others waiting. `None` for no bound.
    """

    num_blocks: int
    max_batch: int | None = None
    max_step_tokens: int | None = None


class Engine:
    """Serves requests with an executable, which it owns together with its KV pools.

    Requests may be added and aborted between any two steps. Not safe to use from two threads.
    """

    def __init__(self, executable: Executable, model: ModelConfig, limits: EngineLimits) -> None:
        """Allocate the KV pools.

        Raises:
            ValueError: a limit is out of range.
            DeviceError: the pools do not fit the device.
        """
        max_step_tokens = optional_integer("max_step_tokens", limits.max_step_tokens, 0)
        max_batch = optional_integer("max_batch", limits.max_batch, 0)
        self._buckets = [
            bucket
            for bucket in executable.buckets
            if max_step_tokens is None or bucket.batch * bucket.num_tokens <= max_step_tokens
        ]
        if not self._buckets:
            raise ValueError(
                f"max_step_tokens: expected at least the smallest compiled step, got {limits.max_step_tokens}"
            )
        rows = max(bucket.batch for bucket in self._buckets)
        self._max_batch = rows if max_batch is None else max_batch
        if not 1 <= self._max_batch <= rows:
            raise ValueError(
                f"max_batch: expected 1 to {rows}, the rows that were compiled, got {self._max_batch}"
            )
        self._executable = executable
        self._model = model
        self._num_blocks = integer("num_blocks", limits.num_blocks, 1, _MAX_BLOCKS)
        self._block_size = executable.kv.block_size
        self._ids = count()
        # First the pools: where they do not fit, the table of their blocks is not made either.
        executable.allocate_kv(self._num_blocks)
        self.reset()

    @property
    def request_ids(self) -> set[int]:
        """Requests that are not finished."""
        return set(self._requests)

    @property
    def num_free_blocks(self) -> int:
        """KV blocks that no request owns."""
        return self._pool.num_free

    def add_request(self, prompt_token_ids: Sequence[int], params: SamplingParams) -> int:
        """Queue a request and return its id.

        Args:
            prompt_token_ids: at least one token.
            params: how to continue it.

        Raises:
            ValueError: the prompt is empty, or a token is not in the vocabulary.
            CapacityError: prompt and output are more than the context or the KV pool can ever hold.
        """
        max_tokens = self.check_request(prompt_token_ids, params)
        request = Request(
            id=next(self._ids),
            token_ids=list(prompt_token_ids),
            num_prompt_tokens=len(prompt_token_ids),
            max_tokens=max_tokens,
            params=params,
            seed=secrets.randbits(64) if params.seed is None else params.seed,
        )
        self._requests[request.id] = request
        self._scheduler.add(request)
        return request.id

    def check_request(self, prompt_token_ids: Sequence[int], params: SamplingParams) -> int:
        """Raise what `add_request` would; return how many tokens the request may generate."""
        num_prompt = len(prompt_token_ids)
        if num_prompt == 0:
            raise ValueError("prompt_token_ids: expected at least one token, got none")
        for token_id in prompt_token_ids:
            if not 0 <= token_id < self._model.vocab_size:
                raise ValueError(
                    f"token id {token_id} is out of range: the vocabulary has {self._model.vocab_size} tokens"
                )
        # The last token is returned but never computed, so it takes no place in the cache.
        room = min(self._model.max_context, self._num_blocks * self._block_size + 1) - num_prompt
        max_tokens = max(room, 1) if params.max_tokens is None else params.max_tokens
        self._check_capacity(num_prompt, max_tokens)
        return max_tokens

    def abort(self, request_id: int) -> None:
        """Drop a request and free its blocks; one that has finished is left alone."""
        request = self._requests.pop(request_id, None)
        if request is not None:
            self._scheduler.remove(request)

    def reset(self) -> None:
        """Drop all requests and count every block as free, whatever state an interrupt left behind."""
        self._requests: dict[int, Request] = {}
        self._pool = BlockPool(self._num_blocks)
        self._scheduler = Scheduler(self._pool, self._block_size, self._buckets, self._max_batch)

    def step(self) -> list[TokenOutput]:
        """Run one step; return the tokens it made, of at most one a request. Without requests, do nothing.

        Raises:
            DeviceError: the device failed. No request has changed; the caller may abort them or try again.
        """
        step = self._scheduler.plan()
        if step is None:
            return []
        logits = self._executable.step(*step.arrays())
        tokens: dict[int, int] = {}
        for row, row_logits in zip(step.rows, logits, strict=False):
            if row.is_last:
                request = self._requests[row.request_id]
                tokens[request.id] = sample(
                    row_logits, request.params, request.seed, position=len(request.token_ids)
                )
        self._scheduler.complete(step)
        return [
            self._append(self._requests[request_id], token) for request_id, token in tokens.items()
        ]

    def check_integrity(self) -> None:
        """Raise `AssertionError` when blocks have leaked or have two owners."""
        self._scheduler.check_integrity()

    def _append(self, request: Request, token_id: int) -> TokenOutput:
        request.token_ids.append(token_id)
        reason = self._finish_reason(request)
        if reason is not None:
            self.abort(request.id)
        return TokenOutput(request.id, token_id, reason)

    def _finish_reason(self, request: Request) -> FinishReason | None:
        token_id = request.token_ids[-1]
        if token_id in request.params.stop_token_ids:
            return "stop"
        if token_id in self._model.eos_token_ids and not request.params.ignore_eos:
            return "stop"
        return "length" if request.num_output_tokens >= request.max_tokens else None

    def _check_capacity(self, num_prompt: int, max_tokens: int) -> None:
        wanted = f"a prompt of {counted(num_prompt, 'tokens')} and {max_tokens} to generate"
        total = num_prompt + max_tokens
        if total > self._model.max_context:
            raise CapacityError(
                f"{wanted} do not fit the context: expected at most "
                f"{counted(self._model.max_context, 'tokens')}, got {total}. "
                "Shorten the prompt or lower max_tokens."
            )
        num_blocks = num_blocks_for(total - 1, self._block_size)
        if num_blocks > self._num_blocks:
            raise CapacityError(
                f"{wanted} do not fit the KV cache: expected at most "
                f"{counted(self._num_blocks, 'blocks')} of {counted(self._block_size, 'tokens')}, "
                f"got {num_blocks}. Give the cache more memory (kv_nbytes or num_blocks), shorten the "
                "prompt or lower max_tokens."
            )
