"""What a caller asks for, a request's life in the engine, and what the caller gets back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from octavo.arguments import is_integer, is_list, is_number, require

FinishReason = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How tokens are chosen and when a generation ends.

    Attributes:
        temperature: 0 takes the most likely token; above 0 divides the logits before sampling.
        top_k: sample among this many most likely tokens; 0 keeps all.
        top_p: sample among the fewest most likely tokens whose probabilities reach this sum; 1 keeps all.
        seed: makes the samples repeatable, whatever else runs in the batch; `None` draws a fresh seed.
        max_tokens: tokens to generate at most; `None` goes on to the end of the context.
        stop: text that ends the generation; it and what follows are not part of the output.
        stop_token_ids: tokens that end the generation beside the model's own.
        ignore_eos: go on when the model ends its text; `stop` and `stop_token_ids` still count.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int | None = None
    max_tokens: int | None = 16
    stop: str | Sequence[str] = ()
    stop_token_ids: Sequence[int] = ()
    ignore_eos: bool = False

    def __post_init__(self) -> None:
        """Raise `ValueError` that names the field, what it may be, and what it is."""
        number, integer = is_number, is_integer
        valid = number(self.temperature) and self.temperature >= 0
        require(valid, "temperature", "a finite number of at least 0", self.temperature)
        valid = integer(self.top_k) and self.top_k >= 0
        require(valid, "top_k", "an integer of at least 1, or 0 to keep every token", self.top_k)
        valid = number(self.top_p) and 0 < self.top_p <= 1
        require(valid, "top_p", "a number above 0 and at most 1", self.top_p)
        valid = self.seed is None or (integer(self.seed) and 0 <= self.seed < 2**64)
        require(valid, "seed", "None or an integer from 0 to 2**64 - 1", self.seed)
        valid = self.max_tokens is None or (integer(self.max_tokens) and self.max_tokens >= 1)
        require(valid, "max_tokens", "None or an integer of at least 1", self.max_tokens)
        is_text = isinstance(self.stop, str) or is_list(self.stop)
        valid = is_text and all(isinstance(s, str) and s for s in self.stop_strings)
        require(valid, "stop", "a string, or strings, none of them empty", self.stop)
        ids = self.stop_token_ids
        valid = is_list(ids) and all(integer(i) and i >= 0 for i in ids)
        require(valid, "stop_token_ids", "integers of at least 0", ids)
        valid = isinstance(self.ignore_eos, bool)
        require(valid, "ignore_eos", "True or False", self.ignore_eos)
        # A numpy integer would overflow in sums of lengths; the caller's lists may change later.
        object.__setattr__(self, "temperature", float(self.temperature))
        object.__setattr__(self, "top_p", float(self.top_p))
        object.__setattr__(self, "top_k", int(self.top_k))
        for name in ("seed", "max_tokens"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, int(value))
        object.__setattr__(self, "stop", self.stop_strings)
        object.__setattr__(self, "stop_token_ids", tuple(map(int, ids)))

    @property
    def is_greedy(self) -> bool:
        """Whether the most likely token is always taken."""
        return self.temperature == 0

    @property
    def stop_strings(self) -> tuple[str, ...]:
        """`stop` as a tuple, however it was given."""
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)


@dataclass(slots=True, eq=False)
class Request:
    """A request inside the engine.

    `num_computed` tokens are in the KV cache; it catches up with `len(token_ids)`, and each time it does,
    one token is sampled and appended. There is no other state: a long prompt, a preempted request and a
    decoding one differ only in how far the two numbers are apart.

    Attributes:
        id: number in order of arrival.
        token_ids: prompt and output so far.
        num_prompt_tokens: how many of them are the prompt.
        max_tokens: output tokens at most.
        seed: key of the random numbers, drawn once so that a preempted request repeats its samples.
        block_ids: blocks the request owns, in the order of its tokens; the scheduler's to change.
        num_computed: tokens whose K and V are in those blocks.
        last_step: number of the last step it was in; the scheduler's measure of waiting.
    """

    id: int
    token_ids: list[int]
    num_prompt_tokens: int
    max_tokens: int
    params: SamplingParams
    seed: int
    block_ids: list[int] = field(default_factory=list)
    num_computed: int = 0
    last_step: int = 0

    @property
    def num_uncomputed(self) -> int:
        """Tokens that are not in the cache yet; at least 1 while the request lives."""
        return len(self.token_ids) - self.num_computed

    @property
    def num_output_tokens(self) -> int:
        """Tokens generated so far."""
        return len(self.token_ids) - self.num_prompt_tokens


@dataclass(frozen=True, slots=True)
class Metrics:
    """How fast a request was served.

    Attributes:
        ttft: seconds from its arrival to its first token.
        tokens_per_second: tokens after the first, over the time from the first to the last; `None` when
            there is one token only.
    """

    ttft: float
    tokens_per_second: float | None


@dataclass(frozen=True, slots=True)
class RequestOutput:
    """A finished generation.

    Attributes:
        prompt: text as it was given, or as a chat template rendered it; `None` for a prompt of token ids.
        prompt_token_ids: tokens the model read.
        text: decoded output, up to the stop string if there was one; special tokens are left out.
        token_ids: generated tokens, the one that ended the generation included.
        finish_reason: `stop` (end of text, a stop token or a stop string) or `length` (`max_tokens`).
        metrics: how fast it was.
    """

    prompt: str | None
    prompt_token_ids: list[int]
    text: str
    token_ids: list[int]
    finish_reason: FinishReason
    metrics: Metrics
