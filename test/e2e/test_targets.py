"""The same program on Vulkan and on the CPU: the same greedy tokens, from the same portable lowering."""

import numpy as np
import pytest
from families import VOCAB_SIZE

FAMILIES = ("llama-mqa-biases", "gemma2", "gpt2")
NUM_TOKENS = 12


def greedy(executable, prompts: list[list[int]]) -> list[list[int]]:
    """Greedy tokens of three rows of one batch: prompts in one step, then one token a step."""
    executable.allocate_kv(18)
    table = np.arange(18, dtype=np.int32)[::-1].reshape(3, 6).copy()
    padded = np.zeros((3, 8), np.int32)
    for row, prompt in enumerate(prompts):
        padded[row, : len(prompt)] = prompt
    lens = np.array([len(prompt) for prompt in prompts], np.int32)
    start = np.zeros(3, np.int32)
    tokens = executable.step(padded, start, lens, table).argmax(-1).astype(np.int32)
    rows = [tokens]
    for _ in range(NUM_TOKENS - 1):
        start = start + lens
        lens = np.ones(3, np.int32)
        tokens = executable.step(tokens[:, None], start, lens, table).argmax(-1).astype(np.int32)
        rows.append(tokens)
    return np.stack(rows, axis=1).tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_vulkan_gives_the_cpus_tokens(family, rng, open_tiny, vulkan_device) -> None:
    prompts = [rng.integers(0, VOCAB_SIZE, length).tolist() for length in (8, 3, 5)]
    on_cpu = greedy(open_tiny(family), prompts)
    on_vulkan = greedy(open_tiny(family, targets=("vulkan",)), prompts)
    print(f"{vulkan_device}: {on_vulkan}")
    assert on_vulkan == on_cpu
