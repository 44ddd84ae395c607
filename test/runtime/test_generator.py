"""In the tokenizer of these tests "A" is token 35, "B" 36 and so on; the executable counts upwards."""

from collections.abc import Callable

import numpy as np
import pytest

from octavo.errors import CapacityError
from octavo.runtime.completion import Delta
from octavo.runtime.generator import Generator
from octavo.runtime.request import SamplingParams

MakeGenerator = Callable[..., Generator]


def greedy(max_tokens: int = 3, **changes: object) -> SamplingParams:
    return SamplingParams(**{"temperature": 0, "max_tokens": max_tokens, **changes})


def assert_clean(generator: Generator) -> None:
    assert generator.engine.request_ids == set()
    assert generator.engine.num_free_blocks == 11
    generator.engine.check_integrity()


def test_one_prompt(make_generator: MakeGenerator, counting) -> None:
    generator = make_generator(counting)
    (output,) = generator.generate("A", greedy())
    assert (output.prompt, output.prompt_token_ids) == ("A", [35])
    assert (output.text, output.token_ids, output.finish_reason) == ("BCD", [36, 37, 38], "length")
    assert output.metrics.ttft >= 0
    assert_clean(generator)


def test_outputs_are_in_the_order_of_the_prompts(make_generator: MakeGenerator, counting) -> None:
    params = [greedy(9), greedy(1), greedy(4), greedy(2), greedy(3), greedy(1)]
    outputs = make_generator(counting).generate(["A", "K", [35, 50], "ab", "x", "0"], params)
    assert [output.text for output in outputs] == ["BCDEFGHIJ", "L", "QRST", "cd", "yz{", "1"]
    assert [output.prompt for output in outputs] == ["A", "K", None, "ab", "x", "0"]


def test_prompts_share_steps(make_generator: MakeGenerator, counting) -> None:
    make_generator(counting).generate(["A"] * 4, greedy(5))
    assert [tokens.shape for tokens, *_ in counting.steps] == [(4, 1)] * 5


def test_no_prompts(make_generator: MakeGenerator, counting) -> None:
    assert make_generator(counting).generate([]) == []


def test_the_default_is_to_sample_16_tokens(make_generator: MakeGenerator, shadow) -> None:
    generator = make_generator(shadow)
    first, second = (generator.generate([[9, 9]])[0] for _ in range(2))
    assert len(first.token_ids) <= 16
    assert first.token_ids != second.token_ids


def test_a_seed_repeats_the_sample(make_generator: MakeGenerator, shadow) -> None:
    generator = make_generator(shadow)
    first, second = (
        generator.generate([[9, 9], [7]], SamplingParams(seed=5, max_tokens=30))[0]
        for _ in range(2)
    )
    assert first.token_ids == second.token_ids


def test_a_stop_string_ends_one_prompt_and_frees_its_blocks(
    make_generator: MakeGenerator, counting
) -> None:
    generator = make_generator(counting)
    outputs = generator.generate(["A", "K"], greedy(12, stop=["EF"]))
    assert [(o.text, o.finish_reason) for o in outputs] == [
        ("BCD", "stop"),
        ("LMNOPQRSTUVW", "length"),
    ]
    assert outputs[0].token_ids == [36, 37, 38, 39, 40]
    assert_clean(generator)


def test_an_empty_string_starts_from_bos(make_generator: MakeGenerator, counting) -> None:
    # bos is 1, so 2 follows, which ends the text.
    (output,) = make_generator(counting).generate("", greedy(5))
    assert (output.prompt, output.prompt_token_ids) == ("", [1])
    assert (output.token_ids, output.text, output.finish_reason) == ([2], "", "stop")


def test_an_empty_string_without_bos(make_generator: MakeGenerator, counting) -> None:
    generator = make_generator(counting, bos_token_id=None)
    with pytest.raises(
        ValueError, match="prompt '' has no tokens, and the model has no beginning-of-sequence"
    ):
        generator.generate("")


@pytest.mark.parametrize(
    ("prompts", "error", "message"),
    [
        (
            ["A", [35, 300]],
            ValueError,
            "token id 300 is out of range: the vocabulary has 300 tokens",
        ),
        (["A", []], ValueError, "prompt_token_ids: expected at least one token"),
        (
            ["A", ["B"]],
            ValueError,
            r"prompt: expected a string or a list of token ids, got \['B'\]",
        ),
        ([35, 36], ValueError, "prompt: expected a string or a list of token ids, got 35"),
        (["A", [35] * 127], CapacityError, "a prompt of 127 tokens and 3 to generate do not fit"),
    ],
)
def test_when_one_prompt_is_wrong_none_runs(
    make_generator: MakeGenerator, counting, prompts: object, error: type[Exception], message: str
) -> None:
    generator = make_generator(counting)
    with pytest.raises(error, match=message):
        generator.generate(prompts, greedy())
    assert counting.steps == []
    assert_clean(generator)


@pytest.mark.parametrize(
    ("prompts", "params", "message"),
    [
        (None, None, "prompts: expected a string, or a list of .* got None"),
        (5, None, "prompts: expected a string, or a list of .* got 5"),
        ({"A": 1}, None, "prompts: expected a string, or a list of .* got {'A': 1}"),
        (b"A", None, "prompts: expected a string, or a list of .* got b'A'"),
        ([None], None, "prompt: expected a string or a list of token ids, got None"),
        ([[1.0]], None, r"prompt: expected a string or a list of token ids, got \[1.0\]"),
        ([[True]], None, r"prompt: expected a string or a list of token ids, got \[True\]"),
        ("A", {"max_tokens": 3}, "params: expected a SamplingParams or a list of them, got {'max"),
        (["A"], [{"max_tokens": 3}], "params: expected a SamplingParams or a list of them, got"),
        (["A"], "greedy", "params: expected a SamplingParams or a list of them, got 'greedy'"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(
    make_generator: MakeGenerator, counting, prompts: object, params: object, message: str
) -> None:
    generator = make_generator(counting)
    with pytest.raises(ValueError, match=message):
        generator.generate(prompts, params)
    assert counting.steps == []


def test_numpy_s_token_ids_are_token_ids(make_generator: MakeGenerator, counting) -> None:
    generator = make_generator(counting)
    expected = generator.generate([[35, 36]], greedy())[0].token_ids
    for prompts in (np.array([[35, 36]]), [np.array([35, 36])], [[np.int64(35), np.int32(36)]]):
        assert generator.generate(prompts, greedy())[0].token_ids == expected


def test_parameters_must_match_the_prompts(make_generator: MakeGenerator, counting) -> None:
    with pytest.raises(
        ValueError, match="params: expected one for all prompts or one for each of 2, got 3"
    ):
        make_generator(counting).generate(["A", "B"], [greedy()] * 3)


def test_a_stream_yields_text_as_it_comes(make_generator: MakeGenerator, counting) -> None:
    deltas = list(make_generator(counting).stream("A", greedy()))
    assert [delta.text for delta in deltas] == ["B", "C", "D"]
    assert [delta.output is None for delta in deltas] == [True, True, False]
    assert deltas[-1].output.text == "BCD"


def test_a_stream_of_several_prompts_says_which(make_generator: MakeGenerator, counting) -> None:
    deltas = make_generator(counting).stream(["A", "K"], greedy(2))
    assert [(delta.index, delta.text) for delta in deltas] == [
        (0, "B"),
        (1, "L"),
        (0, "C"),
        (1, "M"),
    ]


def test_streams_hold_back_what_may_become_a_stop_string(
    make_generator: MakeGenerator, counting
) -> None:
    deltas = list(make_generator(counting).stream("A", greedy(9, stop="DEF")))
    assert [delta.text for delta in deltas] == ["B", "C", ""]
    assert deltas[-1].output.text == "BC"


def test_streams_may_be_read_in_turns(make_generator: MakeGenerator, counting) -> None:
    generator = make_generator(counting)
    first, second = generator.stream("A", greedy(4)), generator.stream("K", greedy(4))
    texts = [(a.text, b.text) for a, b in zip(first, second, strict=True)]
    # The first stream's step runs the second's request too, once that has been added.
    assert "".join(a for a, _ in texts) == "BCDE"
    assert "".join(b for _, b in texts) == "LMNO"
    assert_clean(generator)


def test_a_closed_stream_is_aborted_and_leaves_the_other_alone(
    make_generator: MakeGenerator, counting
) -> None:
    generator = make_generator(counting)
    first, second = generator.stream("A", greedy(50)), generator.stream("K", greedy(4))
    next(first), next(second)
    first.close()
    assert len(generator.engine.request_ids) == 1
    assert "".join(delta.text for delta in second) == "MNO"
    assert_clean(generator)


@pytest.mark.parametrize("at_step", [0, 1, 4])
def test_an_interrupt_leaves_the_engine_clean(
    make_generator: MakeGenerator, counting, monkeypatch: pytest.MonkeyPatch, at_step: int
) -> None:
    generator = make_generator(counting)
    real_step = counting.step

    def interrupted(*arrays: object) -> object:
        if len(counting.steps) == at_step:
            raise KeyboardInterrupt
        return real_step(*arrays)

    with monkeypatch.context() as patch:
        patch.setattr(counting, "step", interrupted)
        with pytest.raises(KeyboardInterrupt):
            generator.generate(["A", [40] * 70, "K"], greedy(20))
    assert_clean(generator)
    assert generator.generate("A", greedy())[0].text == "BCD"


def test_an_interrupt_between_two_statements_loses_no_block(
    make_generator: MakeGenerator, counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = make_generator(counting)
    allocate = generator.engine._pool.allocate

    def interrupted(num_blocks: int) -> list[int]:
        allocate(num_blocks)
        raise KeyboardInterrupt

    monkeypatch.setattr(generator.engine._pool, "allocate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        generator.generate("A", greedy())
    assert_clean(generator)


CHAT = [{"role": "user", "content": "hi"}]


def test_chat_renders_the_template_and_answers(make_generator: MakeGenerator, counting) -> None:
    generator = make_generator(counting)
    output = generator.chat(CHAT, greedy())
    assert output.prompt == "<s>user: hi</s><s>assistant: "
    assert output.prompt_token_ids[0] == 1
    assert output.prompt_token_ids.count(1) == 2
    # The prompt ends with the token of a space, whose successor in the vocabulary is what the model "says".
    assert output.token_ids == [output.prompt_token_ids[-1] + n for n in (1, 2, 3)]


def test_a_chat_streams(make_generator: MakeGenerator, counting) -> None:
    generator = make_generator(counting)
    deltas: list[Delta] = list(generator.stream_chat(CHAT, greedy()))
    assert deltas[-1].output.text == "".join(delta.text for delta in deltas)
    assert_clean(generator)
