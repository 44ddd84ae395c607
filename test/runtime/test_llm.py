"""The artifact's program gives the sum of the context modulo 64; 2 ends the text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from octavo.artifact import MemoryEstimate
from octavo.config import KVLayer, KVLayout, ModelConfig
from octavo.errors import ArtifactError, CapacityError
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


def test_an_artifact_without_a_tokenizer(make_artifact: MakeArtifact) -> None:
    directory = make_artifact("local-task")
    (directory / "tokenizer.json").unlink()
    with pytest.raises(ArtifactError, match=r"has no tokenizer\.json"):
        LLM(directory)


def test_a_bos_token_of_the_manifest_starts_an_empty_prompt(make_artifact: MakeArtifact) -> None:
    llm = LLM(make_artifact("local-task"))
    # bos is 1: 1, 1 + 1 = 2, ...
    assert llm.generate("", GREEDY)[0].token_ids == expected([1])
