"""One prompt's generation as text: what lies between the engine's tokens and the caller's strings."""

import time
from dataclasses import dataclass

from octavo.runtime.detokenizer import Decoder, Detokenizer
from octavo.runtime.request import FinishReason, Metrics, RequestOutput, SamplingParams
from octavo.runtime.stop_strings import StopStrings


@dataclass(frozen=True, slots=True)
class Delta:
    """What a step added to one prompt's text.

    Attributes:
        index: which prompt, in the order they were given.
        text: new text; the texts of a prompt's deltas add up to its output's.
        output: the whole output, with the last delta of the prompt; `None` before.
    """

    index: int
    text: str
    output: RequestOutput | None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as tokens, and as text where it was given as text."""

    text: str | None
    token_ids: list[int]


class Completion:
    """Collects the tokens of a request, its text up to a stop string, and the times they came."""

    def __init__(
        self, index: int, prompt: Prompt, params: SamplingParams, decoder: Decoder
    ) -> None:
        """Start the clock of a request that is being added."""
        self.output: RequestOutput | None = None
        self._index = index
        self._prompt = prompt
        self._detokenizer = Detokenizer(decoder, context=prompt.token_ids)
        self._stops = StopStrings(params.stop_strings)
        self._token_ids: list[int] = []
        self._pieces: list[str] = []
        self._num_taken = 0
        self._arrival = self._first = time.perf_counter()

    def push(self, token_id: int, reason: FinishReason | None) -> None:
        """Add the next token, and why it is the last if it is; a stop string may end the output before."""
        now = time.perf_counter()
        if not self._token_ids:
            self._first = now
        self._token_ids.append(token_id)
        if reason != "stop":  # The text of the token that says stop is not part of the output.
            self._pieces.append(self._stops.push(self._detokenizer.push(token_id)))
        if reason is not None:
            self._pieces.append(self._stops.push(self._detokenizer.finish()))
            self._pieces.append(self._stops.finish())
        if self._stops.found:
            reason = "stop"
        if reason is not None:
            self._finish(reason, now)

    def take(self) -> Delta | None:
        """Return what came since the last call, or `None` if that is nothing."""
        text = "".join(self._pieces[self._num_taken :])
        self._num_taken = len(self._pieces)
        return Delta(self._index, text, self.output) if text or self.output else None

    def _finish(self, reason: FinishReason, now: float) -> None:
        num_later = len(self._token_ids) - 1
        self.output = RequestOutput(
            prompt=self._prompt.text,
            prompt_token_ids=self._prompt.token_ids,
            text="".join(self._pieces),
            token_ids=self._token_ids,
            finish_reason=reason,
            metrics=Metrics(
                ttft=self._first - self._arrival,
                tokens_per_second=num_later / (now - self._first) if num_later else None,
            ),
        )
