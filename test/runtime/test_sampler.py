import itertools

import numpy as np
import pytest
import torch
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from octavo.errors import DeviceError
from octavo.runtime.request import SamplingParams
from octavo.runtime.sampler import candidates, sample

VOCAB_SIZE = 1000


def random_logits(rng: np.random.Generator) -> np.ndarray:
    return (rng.standard_normal(VOCAB_SIZE) * rng.uniform(0.5, 8)).astype(np.float32)


def hugging_face(logits: np.ndarray, params: SamplingParams) -> np.ndarray:
    """Probabilities after the processors that `generate` applies, in its order."""
    scores = torch.from_numpy(logits)[None].double()
    processors = [TemperatureLogitsWarper(params.temperature)]
    if params.top_k:
        processors.append(TopKLogitsWarper(params.top_k))
    if params.top_p < 1:
        processors.append(TopPLogitsWarper(params.top_p))
    for processor in processors:
        scores = processor(None, scores)
    return scores.softmax(-1)[0].numpy()


def dense(token_ids: np.ndarray, probs: np.ndarray) -> np.ndarray:
    result = np.zeros(VOCAB_SIZE)
    result[token_ids] = probs
    return result


def test_greedy_is_the_first_of_the_largest(rng: np.random.Generator) -> None:
    logits = random_logits(rng)
    logits[[400, 70]] = logits.max() + 1
    assert sample(logits, SamplingParams(temperature=0), seed=0, position=1) == 70


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    list(
        itertools.product(
            (0.1, 0.7, 1.0, 2.5), (0, 1, 50, VOCAB_SIZE, 2000), (0.05, 0.5, 0.95, 1.0)
        )
    ),
)
def test_candidates_are_those_of_hugging_face(
    rng: np.random.Generator, temperature: float, top_k: int, top_p: float
) -> None:
    params = SamplingParams(temperature=temperature, top_k=top_k, top_p=top_p)
    for _ in range(5):
        logits = random_logits(rng)
        token_ids, probs = candidates(logits, params)
        assert len(set(token_ids.tolist())) == len(token_ids)
        np.testing.assert_allclose(dense(token_ids, probs), hugging_face(logits, params), atol=1e-9)


def test_ties_of_the_kth_logit_are_all_kept() -> None:
    logits = np.zeros(VOCAB_SIZE, np.float32)
    logits[[3, 5, 8, 9]] = [2, 1, 1, 1]
    params = SamplingParams(top_k=2)
    token_ids, probs = candidates(logits, params)
    assert set(token_ids.tolist()) == {3, 5, 8, 9}
    np.testing.assert_allclose(dense(token_ids, probs), hugging_face(logits, params), atol=1e-9)


def test_top_p_keeps_at_least_the_likeliest() -> None:
    logits = np.zeros(VOCAB_SIZE, np.float32)
    logits[7] = 0.001
    token_ids, probs = candidates(logits, SamplingParams(top_p=1e-9))
    assert (token_ids.tolist(), probs.tolist()) == ([7], [1.0])


def test_top_p_drops_a_sum_that_is_exactly_the_rest() -> None:
    # Four tokens of 1/4: the two that are dropped sum up to 1 - 0.5.
    logits = np.zeros(4, np.float32)
    token_ids, probs = candidates(logits, SamplingParams(top_p=0.5))
    assert (len(token_ids), probs.tolist()) == (2, [0.5, 0.5])
    assert np.count_nonzero(hugging_face(logits, SamplingParams(top_p=0.5))) == 2


def test_extreme_temperatures_stay_finite(rng: np.random.Generator) -> None:
    logits = random_logits(rng)
    assert sample(logits, SamplingParams(temperature=1e-30), 1, 2) == logits.argmax()
    _, probs = candidates(logits, SamplingParams(temperature=1e30))
    np.testing.assert_allclose(probs, 1 / VOCAB_SIZE)


def test_masked_logits_are_never_sampled(rng: np.random.Generator) -> None:
    logits = np.full(VOCAB_SIZE, -np.inf, np.float32)
    logits[[2, 600]] = [0, 0.5]
    params = SamplingParams()
    assert {sample(logits, params, 3, position) for position in range(200)} == {2, 600}


def test_samples_are_a_function_of_seed_and_position(rng: np.random.Generator) -> None:
    params = SamplingParams()
    logits = random_logits(rng) / 8
    tokens = [sample(logits, params, seed=2**64 - 1, position=p) for p in range(50)]
    assert tokens == [sample(logits, params, seed=2**64 - 1, position=p) for p in range(50)]
    # A neighbour that no float64 tells apart.
    assert tokens != [sample(logits, params, seed=2**64 - 2, position=p) for p in range(50)]
    assert len(set(tokens)) > 10


def test_samples_follow_the_probabilities() -> None:
    # The seed is fixed. A frequency over 4,000 draws has a deviation of 0.008 at most, a fifth of the bound.
    logits = np.log(np.array([0.5, 0.2, 0.2, 0.1], np.float32))
    draws = [sample(logits, SamplingParams(), seed=11, position=p) for p in range(4000)]
    np.testing.assert_allclose(np.bincount(draws) / len(draws), [0.5, 0.2, 0.2, 0.1], atol=0.04)


@pytest.mark.parametrize("temperature", [0, 1])
def test_nan_is_refused(rng: np.random.Generator, temperature: float) -> None:
    logits = random_logits(rng)
    logits[123] = np.nan
    with pytest.raises(DeviceError, match="logits of the token at position 9 are not finite"):
        sample(logits, SamplingParams(temperature=temperature), 0, 9)


@pytest.mark.parametrize("top_p", [1e-17, 1e-300])
@pytest.mark.parametrize("temperature", [1e-9, 1.0])
def test_the_likeliest_token_survives_any_limit(top_p: float, temperature: float) -> None:
    logits = np.array([1.0, 3.0, 2.0], np.float32)
    params = SamplingParams(temperature=temperature, top_p=top_p)
    assert sample(logits, params, seed=1, position=2) == 1
    flat = SamplingParams(temperature=1e300, top_p=top_p)  # every token is as likely as another
    assert sample(logits, flat, seed=1, position=2) in range(3)


@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("temperature", [0, 1])
def test_what_is_not_finite_is_refused(value: float, temperature: float) -> None:
    logits = np.array([1.0, value, 2.0], np.float32)
    with pytest.raises(DeviceError, match="not finite"):
        sample(logits, SamplingParams(temperature=temperature), seed=1, position=2)
