import dataclasses
import math

import numpy as np
import pytest

from octavo.runtime.request import Request, SamplingParams


def test_defaults_sample_freely() -> None:
    params = SamplingParams()
    assert (params.temperature, params.top_k, params.top_p, params.seed) == (1.0, 0, 1.0, None)
    assert not params.is_greedy
    assert SamplingParams(temperature=0).is_greedy


def test_stop_is_one_string_or_several() -> None:
    assert SamplingParams().stop_strings == ()
    assert SamplingParams(stop="END").stop_strings == ("END",)
    assert SamplingParams(stop=["a", "bc"]).stop_strings == ("a", "bc")


def test_params_are_frozen_hashable_and_keep_nothing_of_the_caller() -> None:
    stop, ids = ["a"], [3]
    params = SamplingParams(stop=stop, stop_token_ids=ids)
    stop.append("b")
    ids.append(4)
    assert params == SamplingParams(stop=("a",), stop_token_ids=(3,))
    assert hash(params) == hash(SamplingParams(stop=("a",), stop_token_ids=(3,)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        params.top_k = 1  # type: ignore[misc]


def test_numpy_numbers_are_numbers() -> None:
    SamplingParams(temperature=np.float32(0.5), top_k=np.int64(3), seed=np.uint64(2**63))


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("temperature", -0.1, "a finite number of at least 0"),
        ("temperature", math.nan, "a finite number of at least 0"),
        ("temperature", math.inf, "a finite number of at least 0"),
        ("temperature", "hot", "a finite number of at least 0"),
        ("top_k", -1, "an integer of at least 1, or 0 to keep every token"),
        ("top_k", 1.5, "an integer of at least 1, or 0 to keep every token"),
        ("top_p", 0, "a number above 0 and at most 1"),
        ("top_p", 1.01, "a number above 0 and at most 1"),
        ("top_p", True, "a number above 0 and at most 1"),
        ("seed", -1, "None or an integer from 0 to 2**64 - 1"),
        ("seed", 2**64, "None or an integer from 0 to 2**64 - 1"),
        ("max_tokens", 0, "None or an integer of at least 1"),
        ("max_tokens", 2.0, "None or an integer of at least 1"),
        ("stop", "", "a string, or strings, none of them empty"),
        ("stop", ["a", ""], "a string, or strings, none of them empty"),
        ("stop", ["a", 1], "a string, or strings, none of them empty"),
        ("stop", None, "a string, or strings, none of them empty"),
        ("stop", {"a": 1}, "a string, or strings, none of them empty"),
        ("stop", b"a", "a string, or strings, none of them empty"),
        ("ignore_eos", 1, "True or False"),
        ("ignore_eos", "no", "True or False"),
        ("stop_token_ids", "12", "integers of at least 0"),
        ("stop_token_ids", [-1], "integers of at least 0"),
        ("stop_token_ids", ["</s>"], "integers of at least 0"),
        ("stop_token_ids", 2, "integers of at least 0"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(
    field: str, value: object, expected: str
) -> None:
    with pytest.raises(ValueError, match=field) as caught:
        SamplingParams(**{field: value})
    assert str(caught.value) == f"{field}: expected {expected}, got {value!r}"


def test_progress_is_two_numbers_apart() -> None:
    request = Request(7, [5, 6, 7, 8], 3, 10, SamplingParams(), seed=1)
    assert (request.num_uncomputed, request.num_output_tokens) == (4, 1)
    request.num_computed = 3
    assert request.num_uncomputed == 1


def test_numbers_of_any_kind_become_pythons() -> None:
    params = SamplingParams(
        temperature=np.float32(0.5),
        top_k=np.uint8(5),
        seed=np.uint64(2**64 - 1),
        max_tokens=np.int8(120),
    )
    values = (params.temperature, params.top_k, params.seed, params.max_tokens)
    assert [type(value) for value in values] == [float, int, int, int]
    assert values == (0.5, 5, 2**64 - 1, 120)
