"""Tokenizer files of a Hugging Face directory: what is taken over, converted, or refused."""

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers
from transformers import AutoTokenizer

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.tokenizer import copy_tokenizer

VOCABULARY = {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4, "<s>": 5}
MERGES = [("a", "b"), ("Ġ", "a")]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    return tmp_path / "source"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


def backend() -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer(models.BPE(vocab=VOCABULARY, merges=MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def write_config(source: Path, **config: Any) -> None:
    (source / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def read_config(target: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((target / "tokenizer_config.json").read_text("utf-8"))
    return found


def test_texts_are_cut_or_filled_no_longer(source: Path, target: Path) -> None:
    tokenizer = backend()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=5)
    tokenizer.save(str(source / "tokenizer.json"))
    assert copy_tokenizer(source, target) == ("tokenizer.json", "tokenizer_config.json")
    found = tokenizers.Tokenizer.from_file(str(target / "tokenizer.json"))
    assert found.encode("ab ab a").ids == [2, 3, 2, 4]
    assert read_config(target) == {}


def test_special_tokens_in_either_form(source: Path, target: Path) -> None:
    backend().save(str(source / "tokenizer.json"))
    write_config(
        source,
        bos_token="<s>",
        eos_token={"content": "</s>", "lstrip": False},
        pad_token=None,
        add_bos_token=True,
        model_max_length=512,
        chat_template="{{ messages }} ü",
    )
    copy_tokenizer(source, target)
    assert read_config(target) == {
        "bos_token": "<s>",
        "eos_token": "</s>",
        "chat_template": "{{ messages }} ü",
    }


@pytest.mark.parametrize(
    ("template", "file", "expected"),
    [
        (None, None, None),
        ("in the configuration", None, "in the configuration"),
        ("in the configuration", "in a file", "in a file"),
        (
            [{"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}],
            None,
            "d",
        ),
        ([{"name": "tool_use", "template": "t"}, "default", {}], None, None),
    ],
)
def test_where_the_chat_template_is(
    source: Path, target: Path, template: Any, file: str | None, expected: str | None
) -> None:
    backend().save(str(source / "tokenizer.json"))
    write_config(source, chat_template=template)
    if file is not None:
        (source / "chat_template.jinja").write_text(file, encoding="utf-8")
    copy_tokenizer(source, target)
    assert read_config(target).get("chat_template") == expected


def test_an_older_form_is_converted(source: Path, target: Path) -> None:
    (source / "vocab.json").write_text(json.dumps(VOCABULARY | {"<|endoftext|>": 6}))
    merges = "\n".join(["#version: 0.2", *(" ".join(pair) for pair in MERGES)])
    (source / "merges.txt").write_text(merges)
    (source / "config.json").write_text(json.dumps({"model_type": "gpt2"}))
    write_config(source, tokenizer_class="GPT2Tokenizer", bos_token="<|endoftext|>")
    copy_tokenizer(source, target)
    found = tokenizers.Tokenizer.from_file(str(target / "tokenizer.json"))
    expected = AutoTokenizer.from_pretrained(source, local_files_only=True)
    for text in ("ab a", "a<|endoftext|> ab"):
        assert found.encode(text).ids == expected(text).input_ids
    assert read_config(target) == {"bos_token": "<|endoftext|>"}


def test_no_tokenizer(source: Path, target: Path) -> None:
    write_config(source, bos_token="<s>")
    assert copy_tokenizer(source, target) == ()
    assert list(target.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("tokenizer.json", "{", "tokenizer.json is not a tokenizer that this tokenizers package"),
        ("tokenizer.json", '{"version": "1.0"}', "tokenizer.json is not a tokenizer"),
        ("tokenizer.model", "no such thing", "cannot be converted to tokenizer.json"),
        ("vocab.json", "[", "cannot be converted to tokenizer.json"),
    ],
)
def test_what_is_damaged_is_refused(
    source: Path, target: Path, name: str, text: str, message: str
) -> None:
    (source / "config.json").write_text(json.dumps({"model_type": "llama"}))
    (source / name).write_text(text)
    with pytest.raises(CaptureError, match=message) as caught:
        copy_tokenizer(source, target)
    assert str(source) in str(caught.value)


def test_a_damaged_configuration_is_refused(source: Path, target: Path) -> None:
    backend().save(str(source / "tokenizer.json"))
    (source / "tokenizer_config.json").write_text("{")
    with pytest.raises(CaptureError, match=r"tokenizer_config.json is not JSON"):
        copy_tokenizer(source, target)


def test_a_directory_that_is_not_there(source: Path, tmp_path: Path) -> None:
    backend().save(str(source / "tokenizer.json"))
    with pytest.raises(CaptureError, match=r"none/tokenizer.json cannot be written: No such file"):
        copy_tokenizer(source, tmp_path / "none")
