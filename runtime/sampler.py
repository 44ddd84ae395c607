"""From a row of logits to a token, in numpy."""

import numpy as np
from numpy.typing import NDArray

from octavo.errors import DeviceError
from octavo.runtime.request import SamplingParams

Logits = NDArray[np.float32]


def sample(logits: Logits, params: SamplingParams, seed: int, position: int) -> int:
    """Choose the token at `position` of a sequence.

    The random number is a function of `seed` and `position` alone, so the token depends neither on the
    other requests in the batch nor on whether this one was preempted.

    Args:
        logits: `[vocab]` f32.
        params: temperature, top-k and top-p.
        seed: the request's.
        position: index of the new token in the sequence.

    Raises:
        DeviceError: the logits hold NaN.
    """
    best = int(np.argmax(logits))
    # The maximum of an array with NaN is NaN and of one with infinity is that, so one value tells about all.
    if not np.isfinite(logits[best]):
        raise DeviceError(
            f"the logits of the token at position {position} are not finite: the largest is {logits[best]}. "
            "A weight may not be finite, the files may be damaged ('octavo inspect --verify' tells), or the "
            "type is too narrow for the model: compile with --dtype f32."
        )
    if params.is_greedy:
        return best
    token_ids, probs = candidates(logits, params)
    cumulative = np.cumsum(probs)
    key = np.array([seed, position], np.uint64)
    draw = np.random.Generator(np.random.Philox(key=key)).random()
    # Rounding may leave the sum a little off 1; scaled by it, the draw stays below the last entry.
    return int(token_ids[np.searchsorted(cumulative, draw * cumulative[-1], side="right")])


def candidates(
    logits: Logits, params: SamplingParams
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the tokens that may be sampled and their probabilities.

    Temperature, then top-k, then top-p, as Hugging Face's logits processors in `generate`: top-k keeps all
    ties of the k-th logit, and top-p drops the least likely tokens whose sum is at most `1 - top_p`.

    Args:
        logits: `[vocab]` f32 without NaN.
        params: temperature above 0, top-k and top-p.
    """
    scaled = (logits.astype(np.float64) - logits.max()) / params.temperature
    token_ids = _top_k(scaled, params.top_k)
    probs = np.exp(scaled[token_ids])
    probs /= probs.sum()
    if params.top_p < 1:
        kept = _top_p(probs, params.top_p)
        token_ids, probs = token_ids[kept], probs[kept] / probs[kept].sum()
    return token_ids, probs


def _top_k(scaled: NDArray[np.float64], top_k: int) -> NDArray[np.intp]:
    if not 0 < top_k < len(scaled):
        return np.arange(len(scaled))
    least = np.partition(scaled, -top_k)[-top_k]
    return np.flatnonzero(scaled >= least)


def _top_p(probs: NDArray[np.float64], top_p: float) -> NDArray[np.intp]:
    excess = 1 - top_p
    # Tokens below the mean of the excess are within it together: most of the vocabulary is never sorted.
    likely = np.flatnonzero(probs > excess / len(probs))
    if likely.size == 0:  # all alike, and no more than rounding is asked for
        return np.array([np.argmax(probs)])
    unlikely_sum = 1 - probs[likely].sum()
    ascending = likely[np.argsort(probs[likely], kind="stable")]
    # The likeliest token stays whatever the sum says: something must be left to sample.
    sums = unlikely_sum + np.cumsum(probs[ascending[:-1]])
    return ascending[np.searchsorted(sums, excess, side="right") :]
