from pathlib import Path

import pytest

from octavo.runtime import completion
from octavo.runtime.completion import Completion, Delta, Prompt
from octavo.runtime.request import Metrics, RequestOutput, SamplingParams
from octavo.runtime.tokenizer import Tokenizer, load_tokenizer

PROMPT = Prompt("A", [35])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Times that the next looks at the clock show, last first."""
    times: list[float] = []
    monkeypatch.setattr(completion.time, "perf_counter", lambda: times.pop())
    return times


def test_metrics_are_times_between_tokens(tokenizer: Tokenizer, clock: list[float]) -> None:
    clock += [15.0, 14.0, 13.0, 10.0]
    it = Completion(0, PROMPT, SamplingParams(), tokenizer)  # at 10
    for token_id, reason in ((36, None), (37, None), (38, "length")):  # at 13, 14 and 15
        it.push(token_id, reason)
    assert it.output is not None
    # Two tokens in the two seconds after the first.
    assert it.output.metrics == Metrics(ttft=3.0, tokens_per_second=1.0)


def test_one_token_has_no_rate(tokenizer: Tokenizer, clock: list[float]) -> None:
    clock += [11.0, 10.0]
    it = Completion(0, PROMPT, SamplingParams(), tokenizer)
    it.push(36, "length")
    assert it.output is not None
    assert it.output.metrics == Metrics(ttft=1.0, tokens_per_second=None)


def test_deltas_are_taken_once(tokenizer: Tokenizer) -> None:
    it = Completion(7, PROMPT, SamplingParams(), tokenizer)
    assert it.take() is None
    it.push(36, None)
    it.push(37, None)
    assert it.take() == Delta(7, "BC", None)
    assert it.take() is None
    it.push(38, "length")
    assert it.take() == Delta(7, "D", it.output)


def test_the_output_holds_everything(tokenizer: Tokenizer) -> None:
    it = Completion(0, PROMPT, SamplingParams(), tokenizer)
    it.push(36, None)
    it.push(37, "length")
    assert it.output == RequestOutput("A", [35], "BC", [36, 37], "length", it.output.metrics)


def test_the_token_that_stops_is_no_text(tokenizer: Tokenizer) -> None:
    it = Completion(0, PROMPT, SamplingParams(), tokenizer)
    it.push(36, None)
    it.push(37, "stop")
    assert it.output is not None
    assert (it.output.text, it.output.token_ids) == ("B", [36, 37])


def test_a_stop_string_ends_the_output(tokenizer: Tokenizer) -> None:
    it = Completion(0, PROMPT, SamplingParams(stop="CD"), tokenizer)
    it.push(36, None)
    it.push(37, None)
    assert it.take() == Delta(0, "B", None)
    it.push(38, None)
    assert it.output is not None
    assert (it.output.text, it.output.token_ids, it.output.finish_reason) == (
        "B",
        [36, 37, 38],
        "stop",
    )
    assert it.take() == Delta(0, "", it.output)


def test_a_stop_string_in_the_last_token_counts_as_a_stop(tokenizer: Tokenizer) -> None:
    it = Completion(0, PROMPT, SamplingParams(stop="CD"), tokenizer)
    for token_id, reason in ((36, None), (37, None), (38, "length")):
        it.push(token_id, reason)
    assert it.output is not None
    assert (it.output.text, it.output.finish_reason) == ("B", "stop")


def test_what_was_held_back_comes_at_the_end(tokenizer: Tokenizer) -> None:
    cat = tokenizer.encode("🐱")
    it = Completion(0, PROMPT, SamplingParams(stop="BX"), tokenizer)
    it.push(36, None)  # may begin "BX"
    it.push(cat[0], "length")
    assert it.output is not None
    assert it.output.text == "B�"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_a_stop_string_is_found_wherever_the_tokens_of_a_real_model_end(
    smollm2: Path, size: int
) -> None:
    tokenizer = load_tokenizer(smollm2)
    text = "The café's menu: crêpes, 猫 cakes 🙂 and tea.\nIt opens at 10:30, unconditionally."
    token_ids = tokenizer.encode(text)
    for begin in range(1, len(text) - size + 1):
        stop = text[begin : begin + size]
        it = Completion(0, Prompt("", [0]), SamplingParams(stop=stop), tokenizer)
        shown = ""
        for token_id in token_ids:
            it.push(token_id, None)
            shown += delta.text if (delta := it.take()) else ""
            if it.output:
                break
        assert it.output is not None, f"{stop!r} was not found"
        assert it.output.text == shown == text[: text.index(stop)]
        assert it.output.finish_reason == "stop"
