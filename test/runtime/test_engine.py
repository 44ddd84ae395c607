"""An engine of 11 blocks of 16 tokens; the model has 300 tokens, a context of 128, and ends a text with 2."""

from collections.abc import Callable

import numpy as np
import pytest

from octavo.config import Bucket
from octavo.errors import CapacityError, DeviceError
from octavo.runtime.engine import Engine, TokenOutput
from octavo.runtime.request import SamplingParams

MakeEngine = Callable[..., Engine]
GREEDY = SamplingParams(temperature=0, max_tokens=5)


def run(engine: Engine) -> dict[int, list[int]]:
    """Run to the end; return the tokens of each request."""
    tokens: dict[int, list[int]] = {}
    while engine.request_ids:
        for output in engine.step():
            tokens.setdefault(output.request_id, []).append(output.token_id)
        engine.check_integrity()
    assert engine.num_free_blocks == 11
    return tokens


def test_tokens_come_one_a_step_and_the_last_says_why(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting)
    a = engine.add_request([10, 20], SamplingParams(temperature=0, max_tokens=2))
    assert engine.step() == [TokenOutput(a, 21, None)]
    assert engine.step() == [TokenOutput(a, 22, "length")]
    assert engine.step() == []
    assert counting.num_blocks == 11


def test_a_chunk_that_is_not_the_last_makes_no_token(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting)
    engine.add_request(list(range(100, 170)), GREEDY)
    assert engine.step() == []
    assert [output.token_id for output in engine.step()] == [170]


def test_requests_join_and_leave_between_steps(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting)
    a = engine.add_request([10], GREEDY)
    engine.step()
    b = engine.add_request([50], SamplingParams(temperature=0, max_tokens=2))
    outputs = [engine.step() for _ in range(4)]
    # b arrives when a has waited for no step either; they run together, b leaves after its second token.
    assert [(o.request_id, o.token_id) for o in outputs[0]] == [(a, 12), (b, 51)]
    assert [(o.request_id, o.token_id) for o in outputs[1]] == [(a, 13), (b, 52)]
    assert [(o.request_id, o.token_id) for o in outputs[2]] == [(a, 14)]
    assert [tokens.shape for tokens, *_ in counting.steps] == [
        (1, 1),
        (4, 1),
        (4, 1),
        (1, 1),
        (1, 1),
    ]


@pytest.mark.parametrize(
    ("params", "tokens", "reason"),
    [
        ({}, [299, 0, 1, 2], "stop"),  # the model's own end of text
        ({"ignore_eos": True}, [299, 0, 1, 2, 3, 4], "length"),
        ({"stop_token_ids": [0]}, [299, 0], "stop"),
        ({"stop_token_ids": [3], "ignore_eos": True}, [299, 0, 1, 2, 3], "stop"),
        ({"max_tokens": 4}, [299, 0, 1, 2], "stop"),  # both at once: the text did end
    ],
)
def test_how_generations_end(
    make_engine: MakeEngine, counting, params: dict[str, object], tokens: list[int], reason: str
) -> None:
    engine = make_engine(counting)
    engine.add_request([298], SamplingParams(**{"temperature": 0, "max_tokens": 6, **params}))
    outputs = []
    while engine.request_ids:
        outputs += engine.step()
    assert [output.token_id for output in outputs] == tokens
    assert [output.finish_reason for output in outputs] == [None] * (len(tokens) - 1) + [reason]


def test_abort_frees_blocks_and_leaves_the_rest_alone(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting)
    a, b = engine.add_request([10] * 40, GREEDY), engine.add_request([20], GREEDY)
    engine.step()
    assert engine.num_free_blocks == 11 - 3 - 1
    engine.abort(a)
    engine.abort(a)
    assert engine.num_free_blocks == 11 - 1
    tokens = run(engine)
    assert a not in tokens
    assert tokens[b][-1] == 25


def test_reset_drops_everything(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting)
    engine.add_request([10] * 40, GREEDY)
    engine.step()
    engine.reset()
    assert engine.request_ids == set()
    assert engine.num_free_blocks == 11
    assert engine.step() == []


@pytest.mark.parametrize("token_id", [-1, 300, 10**9])
def test_a_token_out_of_range(make_engine: MakeEngine, counting, token_id: int) -> None:
    engine = make_engine(counting)
    with pytest.raises(
        ValueError, match=f"token id {token_id} is out of range: the vocabulary has 300 tokens"
    ):
        engine.add_request([5, token_id], GREEDY)
    assert engine.request_ids == set()


def test_an_empty_prompt(make_engine: MakeEngine, counting) -> None:
    with pytest.raises(ValueError, match="prompt_token_ids: expected at least one token, got none"):
        make_engine(counting).add_request([], GREEDY)


def test_more_than_the_context_is_refused_at_once(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting)
    engine.add_request([5] * 123, GREEDY)  # 123 + 5 = 128
    message = (
        "a prompt of 124 tokens and 5 to generate do not fit the context: expected at most 128 tokens, got "
        "129. Shorten the prompt or lower max_tokens."
    )
    with pytest.raises(CapacityError) as caught:
        engine.add_request([5] * 124, GREEDY)
    assert str(caught.value) == message
    assert len(run(engine)[0]) == 5


def test_more_than_the_pool_is_refused_at_once(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting, num_blocks=2)
    # The fifth token is never computed: 28 + 4 tokens fill two blocks of 16.
    engine.add_request([5] * 28, GREEDY)
    with pytest.raises(CapacityError, match="expected at most 2 blocks of 16 tokens, got 3"):
        engine.add_request([5] * 29, GREEDY)
    with pytest.raises(CapacityError, match=r"a prompt of 33 tokens and 1 to generate .* got 3"):
        engine.add_request([5] * 33, SamplingParams(max_tokens=1))


@pytest.mark.parametrize(("num_blocks", "num_tokens"), [(11, 28), (7, 13)])
def test_no_limit_goes_on_to_the_end_of_what_there_is(
    make_engine: MakeEngine, counting, num_blocks: int, num_tokens: int
) -> None:
    # 100 + 28 = 128 tokens of context; or 7 blocks hold 112 tokens, and the 113th is not computed.
    engine = make_engine(counting, num_blocks=num_blocks)
    engine.add_request([5] * 100, SamplingParams(temperature=0, max_tokens=None))
    outputs = []
    while engine.request_ids:
        outputs += engine.step()
    assert len(outputs) == num_tokens
    assert outputs[-1].finish_reason == "length"


def test_no_limit_and_no_room(make_engine: MakeEngine, counting) -> None:
    with pytest.raises(CapacityError, match=r"a prompt of 128 tokens and 1 to generate .* got 129"):
        make_engine(counting).add_request([5] * 128, SamplingParams(max_tokens=None))


def lose_device(*_: object) -> None:
    raise DeviceError("lost")


def test_a_failed_step_changes_nothing(
    make_engine: MakeEngine, shadow, greedy_reference, monkeypatch
) -> None:
    engine = make_engine(shadow)
    a = engine.add_request([10, 11], GREEDY)
    first = engine.step()
    with monkeypatch.context() as patch:
        patch.setattr(shadow, "step", lose_device)
        with pytest.raises(DeviceError, match="lost"):
            engine.step()
    assert [first[0].token_id, *run(engine)[a]] == greedy_reference([10, 11], 5)


def test_nan_logits_are_an_error_and_change_nothing(
    make_engine: MakeEngine, counting, monkeypatch
) -> None:
    engine = make_engine(counting)
    engine.add_request([10], GREEDY)
    with monkeypatch.context() as patch:
        patch.setattr(counting, "step", lambda *_: np.full((1, 300), np.nan, np.float32))
        with pytest.raises(DeviceError, match="position 1 are not finite"):
            engine.step()
    assert run(engine) == {0: [11, 12, 13, 14, 15]}


def test_batch_is_bounded_by_the_compiled_rows(make_engine: MakeEngine, counting) -> None:
    for max_batch in (0, 5):
        with pytest.raises(ValueError, match=f"max_batch: expected 1 to 4, .* got {max_batch}"):
            make_engine(counting, max_batch=max_batch)


def test_a_token_budget_leaves_large_buckets_out(make_engine: MakeEngine, counting) -> None:
    engine = make_engine(counting, max_step_tokens=16)
    engine.add_request([5] * 100, GREEDY)
    run(engine)
    assert max(tokens.size for tokens, *_ in counting.steps) == 16
    assert Bucket(1, 64) in counting.buckets


def test_a_token_budget_below_every_bucket(make_engine: MakeEngine, counting) -> None:
    with pytest.raises(
        ValueError, match=r"max_step_tokens: expected at least the smallest .* got 0"
    ):
        make_engine(counting, max_step_tokens=0)
