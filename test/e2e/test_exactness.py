"""SmolLM2 writes, token for token, what transformers writes in f32."""

import pytest
import torch
import transformers

from octavo.frontend.checkpoint import open_checkpoint
from octavo.runtime import LLM, SamplingParams

NUM_TOKENS = 64
LONG = "The harbour was quiet that morning, and the boats lay still. " * 55  # about 700 tokens
PROMPTS = [
    "",
    "A",
    "The capital of France is",
    "Once upon a time, in a small village by the sea,",
    "def fibonacci(n):\n    ",
    "1, 1, 2, 3, 5, 8,",
    "Die Hauptstadt von Deutschland ist",
    "La capitale de la France est",
    "La capital de España es",
    "日本の首都は",
    "Столица России —",
    "العاصمة المصرية هي",
    "I ❤️ programming 🚀 because",
    "Q: What is the boiling point of water?\nA:",
    "<html>\n<body>\n",
    "The quick brown fox jumps over the lazy dog. " * 8,
    "List three colours:\n1.",
    "   leading spaces and\ttabs\n\n",
    LONG,
]
CHAT = [
    {"role": "user", "content": "What is the capital of Italy?"},
    {"role": "assistant", "content": "The capital of Italy is Rome."},
    {"role": "user", "content": "And what is it known for?"},
]


@pytest.fixture(scope="module")
def reference(smollm2_path):
    """`reference(token_ids)`: the next `NUM_TOKENS` greedy tokens of the Hugging Face model."""
    checkpoint = open_checkpoint(smollm2_path)
    model = transformers.AutoModelForCausalLM.from_config(checkpoint.config, dtype=torch.float32)
    state = {name: checkpoint.read(name).float() for name in checkpoint.tensors}
    missing = model.load_state_dict(state, strict=False).missing_keys
    assert missing == ["lm_head.weight"]
    model.tie_weights()
    model.eval()

    def generate(token_ids: list[int]) -> list[int]:
        output = model.generate(
            torch.tensor([token_ids]),
            max_new_tokens=NUM_TOKENS,
            min_new_tokens=NUM_TOKENS,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
        )
        return output[0, len(token_ids) :].tolist()

    return generate


@pytest.mark.filterwarnings("default")
def test_greedy_tokens_equal_transformers(smollm2, reference) -> None:
    llm = LLM(smollm2)
    assert len(PROMPTS) + 1 == 20
    params = SamplingParams(temperature=0, max_tokens=NUM_TOKENS, ignore_eos=True)
    outputs = llm.generate(PROMPTS, params)
    outputs.append(llm.chat(CHAT, params))
    assert max(len(output.prompt_token_ids) for output in outputs) >= 700
    assert min(len(output.prompt_token_ids) for output in outputs) == 1
    different = [
        (output.prompt_token_ids[:8], output.token_ids, expected)
        for output in outputs
        if output.token_ids != (expected := reference(output.prompt_token_ids))
    ]
    assert not different
