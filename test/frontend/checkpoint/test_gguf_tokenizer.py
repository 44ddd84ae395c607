"""Tokenizers of GGUF files: the ids of transformers, and of llama.cpp where transformers leaves rules out."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gguf
import jinja2
import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, trainers
from transformers import AutoTokenizer, PreTrainedModel

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import open_checkpoint

Describe = Callable[[gguf.GGUFWriter], None]

TEXTS = [
    "",
    " ",
    "Hello, world!",
    "  two spaces,   three\tand a tab\n\n\nthree lines\r\n",
    "It's what they'd've said: I'll, we're, CAN'T",
    "in 1984, pi = 3.14159; 007 or x2y3",
    "def f(x):\n    return {x: [x] * 3}  # über",
    "日本語のテキストと中文，한국어도.",
    "Привет, мир! שלום עולם مرحبا بالعالم",
    "नमस्ते दुनिया, สวัสดีชาวโลก",
    "🐙 👩\u200d👩\u200d👧\u200d👦 🇫🇷 ✈️ e\u0301 é",
    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>",
    "a<|endoftext|>b <|endoftext|> c<|im_end",
    "\u200b\ufeff\x00\x7f\u2028",
]
CHAT = [
    {"role": "system", "content": "You answer in French. ✈️"},
    {"role": "user", "content": "What is 12 + 30?"},
    {"role": "assistant", "content": "Quarante-deux."},
    {"role": "user", "content": "  And <|im_end|> in German?\n"},
]


def written(path: Path, directory: Path) -> tokenizers.Tokenizer:
    """The tokenizer of a GGUF file as the `tokenizers` package reads it from what was written."""
    assert open_checkpoint(path).write_tokenizer(directory) == (
        "tokenizer.json",
        "tokenizer_config.json",
    )
    return tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))


def test_smollm2_gives_the_ids_of_transformers(smollm2: Path, tmp_path: Path) -> None:
    ours = written(smollm2, tmp_path)
    theirs = AutoTokenizer.from_pretrained(smollm2.parent, gguf_file=smollm2.name)
    for text in TEXTS:
        ids = ours.encode(text).ids
        assert ids == theirs(text).input_ids, text
        assert ours.decode(ids, skip_special_tokens=False) == text

    config = json.loads((tmp_path / "tokenizer_config.json").read_text(encoding="utf-8"))
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
    prompt = environment.from_string(config["chat_template"]).render(
        messages=CHAT, add_generation_prompt=True, **config
    )
    expected = theirs.apply_chat_template(CHAT, add_generation_prompt=True, return_dict=False)
    assert ours.encode(prompt, add_special_tokens=False).ids == expected
    assert {role: config[role] for role in ("bos_token", "eos_token")} == {
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
    }


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("  2024", [256, 34, 32, 34, 36]),
        ("x\n\n1. a", [104, 1116, 33, 30, 253]),
        ("    1", [289, 33]),
    ],
)
def test_smollm2_takes_white_space_before_a_digit_whole(
    smollm2: Path, tmp_path: Path, text: str, ids: list[int]
) -> None:
    # What llama.cpp gives, and Hugging Face's tokenizer for the original model; transformers reads the
    # GGUF file's as one space less and a space that goes to the digit.
    assert written(smollm2, tmp_path).encode(text).ids == ids


def trained(split: pre_tokenizers.PreTokenizer, specials: Sequence[str]) -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = split
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=list(specials),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    return tokenizer


SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def byte_level(
    pre: str | None, drop: str | None = None, specials: Sequence[str] = SPECIALS, **more: Any
) -> Describe:
    """Describe a byte-level tokenizer of about 400 tokens, of which `drop` can no longer be merged to."""
    parts = json.loads(trained(pre_tokenizers.ByteLevel(add_prefix_space=False), specials).to_str())
    vocabulary: dict[str, int] = parts["model"]["vocab"]
    merges = [pair for pair in parts["model"]["merges"] if "".join(pair) != drop]

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        if pre is not None:
            writer.add_tokenizer_pre(pre)
        writer.add_token_list(sorted(vocabulary, key=vocabulary.__getitem__))
        writer.add_token_types([3] * len(specials) + [1] * (len(vocabulary) - len(specials)))
        writer.add_token_merges([" ".join(pair) for pair in merges])
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(2)
        for name, value in more.items():
            getattr(writer, name)(value)

    return describe


def sentencepiece(**more: Any) -> Describe:
    """Describe a SentencePiece tokenizer: words of the texts, cut ever shorter, longest first."""
    pieces = {"▁"}
    for text in TEXTS[2:9]:
        for word in text.split():
            pieces |= {f"▁{word}"[start:end] for end in range(1, 9) for start in range(end)}
    tokens = sorted(pieces - {""}, key=lambda piece: (-len(piece), piece))
    data = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *tokens]

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("llama")
        writer.add_tokenizer_pre("default")
        writer.add_token_list(data)
        writer.add_token_scores([0.0] * 259 + [-float(rank) for rank in range(len(tokens))])
        writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * len(tokens))
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        for name, value in more.items():
            getattr(writer, name)(value)

    return describe


DESCRIBED: dict[str, Describe] = {
    "gpt-2": byte_level("gpt-2"),
    "no rule": byte_level(None),
    "qwen2": byte_level("qwen2"),
    "gpt-2 with BOS": byte_level("gpt-2", add_add_bos_token=True),
    "gpt-2 with both": byte_level("gpt-2", add_add_bos_token=True, add_add_eos_token=True),
    "llama-bpe": byte_level("llama-bpe", add_add_bos_token=True),
    "sentencepiece": sentencepiece(),
    "sentencepiece without BOS": sentencepiece(add_add_bos_token=False),
}


@pytest.mark.parametrize("name", DESCRIBED)
def test_the_ids_of_transformers(
    name: str, tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path], tmp_path: Path
) -> None:
    path = to_gguf(tiny_llama, describe=DESCRIBED[name])
    ours = written(path, tmp_path)
    theirs = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    for text in TEXTS:
        assert ours.encode(text).ids == theirs(text).input_ids, text


@pytest.fixture
def encode(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path], tmp_path: Path
) -> Callable[[Describe, str], list[str]]:
    def tokens(describe: Describe, text: str) -> list[str]:
        found: list[str] = (
            written(to_gguf(tiny_llama, describe=describe), tmp_path).encode(text).tokens
        )
        return found

    return tokens


def test_llama3_starts_with_bos_and_takes_words_of_the_vocabulary_whole(
    encode: Callable[[Describe, str], list[str]],
) -> None:
    assert encode(byte_level("gpt-2"), "b t") == ["b", "Ġt"]
    assert encode(byte_level("gpt-2", drop="Ġt"), "b t") == ["b", "Ġ", "t"]
    assert encode(byte_level("llama-bpe", drop="Ġt"), "b t") == ["<|endoftext|>", "b", "Ġt"]


def test_no_token_is_invented(encode: Callable[[Describe, str], list[str]]) -> None:
    # The class that transformers builds it from has this one in any vocabulary.
    text = "<|endoftext|>"
    assert encode(byte_level("gpt-2"), text) == [text]
    assert "".join(encode(byte_level("gpt-2", specials=("<s>",)), text)) == text
    assert len(encode(byte_level("gpt-2", specials=("<s>",)), text)) > 1


def test_a_prefix_of_a_space_is_the_files_choice(
    encode: Callable[[Describe, str], list[str]],
) -> None:
    assert encode(sentencepiece(), "world!") == ["<s>", "▁world!"]
    assert encode(sentencepiece(add_add_space_prefix=False), "world!")[:2] == ["<s>", "world!"]


def test_a_chat_ends_with_its_turn(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]
) -> None:
    path = to_gguf(tiny_llama, describe=byte_level("gpt-2", add_eos_token_id=0))
    assert open_checkpoint(path).eos_token_ids == (0, 2)


def test_no_tokenizer(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    assert open_checkpoint(to_gguf(tiny_llama)).write_tokenizer(tmp_path / "out") == ()
    assert list((tmp_path / "out").iterdir()) == []


def not_strings(writer: gguf.GGUFWriter) -> None:
    writer.add_tokenizer_model("gpt2")
    writer.add_array("tokenizer.ggml.tokens", [1, 2, 3])


WRONG: dict[str, tuple[Describe, str]] = {
    "kind": (
        lambda writer: writer.add_tokenizer_model("rwkv"),
        "ggml.model = 'rwkv', .* expected gpt2",
    ),
    "rule": (byte_level("mystery"), "ggml.pre = 'mystery', which is not known: expected one of"),
    "nothing": (lambda writer: writer.add_tokenizer_model("gpt2"), "cannot be built"),
    "numbers": (not_strings, "cannot be built"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_known_is_refused(
    name: str, tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path], tmp_path: Path
) -> None:
    describe, message = WRONG[name]
    checkpoint = open_checkpoint(to_gguf(tiny_llama, describe=describe))
    with pytest.raises(CaptureError, match=message):
        checkpoint.write_tokenizer(tmp_path)
    assert not (tmp_path / "tokenizer.json").exists()
