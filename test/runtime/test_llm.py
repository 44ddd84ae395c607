"""The artifact's program gives the sum of the context modulo 64; 2 ends the text."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from octavo.artifact import MemoryEstimate
from octavo.config import KVLayer, KVLayout, ModelConfig
from octavo.errors import ArtifactError, CapacityError, DeviceError
from octavo.runtime import executable
from octavo.runtime.llm import LLM
from octavo.runtime.request import SamplingParams

MakeArtifact = Callable[..., Path]
GREEDY = SamplingParams(temperature=0, max_tokens=20, ignore_eos=True)


def expected(prompt: list[int]) -> list[int]:
    context = list(prompt)
    for _ in range(20):
        context.append(sum(context) % 64)
    return context[len(prompt) :]


def test_an_artifact_generates(make_artifact: MakeArtifact) -> None:
    llm = LLM(make_artifact("local-task"))
    prompts = [[5, 6, 7], [1], list(range(3, 40)), [63] * 9]
    assert [output.token_ids for output in llm.generate(prompts, GREEDY)] == [
        expected(p) for p in prompts
    ]
    assert llm.manifest.model.vocab_size == 64
    assert llm.tokenizer.encode("the cat")


def test_blocks_that_run_out_change_nothing(make_artifact: MakeArtifact) -> None:
    llm = LLM(str(make_artifact("local-task")), "local-task:test", num_blocks=4)
    prompts = [[5, 6, 7], [1], list(range(3, 40))]
    assert [output.token_ids for output in llm.generate(prompts, GREEDY)] == [
        expected(p) for p in prompts
    ]


@pytest.mark.parametrize(
    ("arguments", "num_blocks"),
    [
        # 2 rows of 128 tokens are 16 blocks of 16, far below 256 MiB.
        ({}, 16),
        ({"max_batch": 1}, 8),
        ({"num_blocks": 3}, 3),
        # A block is K and V of one value each for 16 tokens, in f32: 128 bytes.
        ({"kv_nbytes": 5 * 128 + 100}, 5),
    ],
)
def test_size_of_the_cache(
    make_artifact: MakeArtifact, arguments: dict[str, int], num_blocks: int
) -> None:
    assert LLM(make_artifact("local-task"), **arguments).engine.num_free_blocks == num_blocks


def test_the_default_cache_grows_with_the_weights(make_artifact: MakeArtifact) -> None:
    # A block of 1 MiB: K and V of 2 heads of 4096 for 16 tokens, in f32.
    kv = KVLayout((KVLayer(num_kv_heads=2, head_dim=4096),), 16, "f32")
    model = ModelConfig("llama", 64, max_context=10**6)
    for weights_nbytes, num_blocks in ((1 << 20, 256), (4 << 30, 1024)):
        memory = MemoryEstimate(weights_nbytes, kv.block_nbytes, 0)
        directory = make_artifact("local-task", kv=kv, memory=memory, model=model)
        assert LLM(directory).engine.num_free_blocks == num_blocks
        directory.rename(directory.with_name(f"used-{num_blocks}"))


def test_less_memory_than_a_block(make_artifact: MakeArtifact) -> None:
    with pytest.raises(CapacityError, match=r"kv_nbytes: expected at least 128 bytes, .* got 127"):
        LLM(make_artifact("local-task"), kv_nbytes=127)


def test_what_is_no_artifact(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"is not an artifact: it has no manifest\.json"):
        LLM(tmp_path)


def test_a_bos_token_of_the_manifest_starts_an_empty_prompt(make_artifact: MakeArtifact) -> None:
    llm = LLM(make_artifact("local-task"))
    # bos is 1: 1, 1 + 1 = 2, ...
    assert llm.generate("", GREEDY)[0].token_ids == expected([1])


@pytest.mark.parametrize("number", [1.5, "4", True, 0, -1, [4]])
@pytest.mark.parametrize("name", ["num_blocks", "max_batch"])
def test_a_number_that_is_none_is_named(
    make_artifact: MakeArtifact, name: str, number: object
) -> None:
    with pytest.raises(
        ValueError, match=rf"^{name}: expected None or an integer of at least 1, got"
    ):
        LLM(make_artifact("local-task"), **{name: number})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"artifact": None}, "artifact: expected a directory, got None"),
        ({"target": 3}, "target: expected None or the name of a target, got 3"),
        ({"kv_nbytes": 1e6}, "kv_nbytes: expected None or an integer of at least 0, got 1000000.0"),
        ({"max_step_tokens": "1"}, "max_step_tokens: expected None or an integer .* got '1'"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(
    make_artifact: MakeArtifact, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        LLM(**{"artifact": make_artifact("local-task"), **arguments})


def test_numpy_s_integers_are_integers(make_artifact: MakeArtifact) -> None:
    llm = LLM(make_artifact("local-task"), num_blocks=np.int64(3), max_batch=np.int32(1))
    assert llm.engine.num_free_blocks == 3


def test_more_blocks_than_memory_says_how_many_fit(
    make_artifact: MakeArtifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executable, "available_nbytes", lambda: 1280)
    directory = make_artifact("local-task")
    with pytest.raises(
        DeviceError,
        match=r"does not fit the memory: expected at most 10 blocks of 128 B.* got 1,000,000,000",
    ):
        LLM(directory, num_blocks=10**9)
    assert LLM(directory, num_blocks=10).engine.num_free_blocks == 10


def test_more_blocks_than_a_table_can_name(make_artifact: MakeArtifact) -> None:
    with pytest.raises(ValueError, match="num_blocks: expected an integer from 1 to 2,147,483,647"):
        LLM(make_artifact("local-task"), num_blocks=2**31)
