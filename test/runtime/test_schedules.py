"""Whatever the arrivals, chunks and preemptions, a request's tokens are those it gets alone."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from octavo.config import Bucket
from octavo.runtime.engine import Engine
from octavo.runtime.request import SamplingParams

MakeEngine = Callable[..., Engine]
BUCKET_SETS = (
    ((1, 1), (4, 1), (1, 16), (1, 64), (4, 32)),
    ((1, 1),),
    ((3, 7),),
    ((2, 1), (1, 5), (2, 33)),
)


def random_request(rng: np.random.Generator, greedy: bool) -> tuple[list[int], SamplingParams]:
    prompt = rng.integers(3, 300, rng.integers(1, 70)).tolist()
    num_tokens = int(rng.integers(1, 40))
    if greedy:
        return prompt, SamplingParams(temperature=0, max_tokens=num_tokens, ignore_eos=True)
    seed = int(rng.integers(0, 2**63))
    params = SamplingParams(
        temperature=0.8, top_k=40, top_p=0.9, seed=seed, max_tokens=num_tokens, ignore_eos=True
    )
    return prompt, params


def serve(
    engine: Engine, requests: Sequence[tuple[list[int], SamplingParams]], rng: np.random.Generator
) -> list[list[int]]:
    """Add requests at random times; return their tokens in order."""
    waiting = list(requests)
    tokens: list[list[int]] = []
    while waiting or engine.request_ids:
        while waiting and (rng.random() < 0.2 or not engine.request_ids):
            engine.add_request(*waiting.pop(0))
            tokens.append([])
        for output in engine.step():
            tokens[output.request_id].append(output.token_id)
        engine.check_integrity()
    return tokens


@pytest.mark.parametrize("num_blocks", [7, 11, 40])
@pytest.mark.parametrize("shapes", BUCKET_SETS)
def test_greedy_tokens_do_not_depend_on_the_schedule(
    make_engine: MakeEngine,
    shadow,
    greedy_reference,
    rng: np.random.Generator,
    shapes,
    num_blocks: int,
) -> None:
    shadow.buckets = tuple(Bucket(*shape) for shape in shapes)
    requests = [random_request(rng, greedy=True) for _ in range(10)]
    tokens = serve(make_engine(shadow, num_blocks=num_blocks), requests, rng)
    assert tokens == [greedy_reference(prompt, params.max_tokens) for prompt, params in requests]


def test_sampled_tokens_do_not_depend_on_the_schedule(
    make_engine: MakeEngine, shadow, rng: np.random.Generator
) -> None:
    requests = [random_request(rng, greedy=False) for _ in range(10)]
    alone = [serve(make_engine(shadow), [request], rng)[0] for request in requests]
    # 7 blocks are the fewest that hold the largest request, so many are preempted.
    assert serve(make_engine(shadow, num_blocks=7), requests, rng) == alone


def test_tight_pools_do_preempt(make_engine: MakeEngine, shadow, greedy_reference) -> None:
    """So that the tests above test what they say."""
    engine = make_engine(shadow, num_blocks=4)
    prompts = [[10] * 15, [11] * 15, [12] * 15]
    for prompt in prompts:
        engine.add_request(prompt, SamplingParams(temperature=0, max_tokens=30, ignore_eos=True))
    tokens: dict[int, list[int]] = {0: [], 1: [], 2: []}
    restarts = 0
    while engine.request_ids:
        for output in engine.step():
            tokens[output.request_id].append(output.token_id)
        _, start, lens, _ = shadow.steps[-1]
        restarts += int(np.sum((start == 0) & (lens > 0)))
    assert restarts > len(prompts)
    assert [tokens[idx] for idx in range(3)] == [greedy_reference(prompt, 30) for prompt in prompts]


def test_aborts_in_between_leave_the_others_alone(
    make_engine: MakeEngine, shadow, greedy_reference, rng: np.random.Generator
) -> None:
    engine = make_engine(shadow)
    requests = [random_request(rng, greedy=True) for _ in range(12)]
    ids = [engine.add_request(*request) for request in requests]
    victims = rng.choice(ids, 6, replace=False).tolist()
    survivors = set(ids) - set(victims)
    tokens: dict[int, list[int]] = {idx: [] for idx in ids}
    while engine.request_ids:
        if victims and rng.random() < 0.1:
            engine.abort(victims.pop())
        for output in engine.step():
            tokens[output.request_id].append(output.token_id)
        engine.check_integrity()
    expected = [greedy_reference(prompt, params.max_tokens) for prompt, params in requests]
    assert [tokens[idx] for idx in survivors] == [expected[idx] for idx in survivors]
    assert all(expected[idx][: len(tokens[idx])] == tokens[idx] for idx in ids)
