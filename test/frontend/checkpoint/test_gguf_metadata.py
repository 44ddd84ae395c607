"""Typed access to metadata, and what a wrong value says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_header import GGUFHeader
from octavo.frontend.checkpoint.gguf_metadata import Metadata, read_metadata


def metadata(**values: Any) -> Metadata:
    return Metadata(
        Path("m.gguf"), {f"llama.{key}": value for key, value in values.items()}, "llama"
    )


def test_sizes() -> None:
    found = metadata(a=5, b=[7, 7, 7])
    assert found.size("a") == 5
    assert found.size("b") == 7
    assert found.size("c", 9) == 9


@pytest.mark.parametrize("value", [0, -1, 1 << 40, 2.0, True, "5", [5, 6], [], None])
def test_sizes_that_are_none(value: Any) -> None:
    with pytest.raises(
        CaptureError, match=r"m.gguf has no usable 'llama.a': expected a whole number"
    ):
        metadata(**({} if value is None else {"a": value})).size("a")


def test_numbers_lose_the_digits_that_f32_added() -> None:
    found = metadata(eps=float(np.float32(1e-5)), theta=1000000.0, exact=0.1, count=3)
    assert str(found.number("eps")) == "1e-05"
    assert found.number("theta") == 1000000.0
    # Not the value of any f32, so of more digits than one has.
    assert found.number("exact") == 0.1
    assert found.number("count") == 3.0
    assert found.number("none", 2.5) == 2.5


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1", [1.0]])
def test_numbers_that_are_none(value: Any) -> None:
    with pytest.raises(CaptureError, match="expected a finite number, got "):
        metadata(a=value).number("a")


def test_texts() -> None:
    assert metadata(a="x").string("a") == "x"
    assert metadata().string("a", "none") == "none"
    with pytest.raises(CaptureError, match=r"'llama.a': expected a text, got 3"):
        metadata(a=3).string("a")


def test_token_ids() -> None:
    values = {"tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": "2"}
    found = Metadata(Path("m.gguf"), values, "llama")
    assert found.token_id("bos") == 1
    assert found.token_id("eos") is None
    assert found.token_id("eot") is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "m.gguf names no architecture: .* got None"),
        ({"general.architecture": 3}, "names no architecture: .* got 3"),
        (
            {"general.architecture": "llama", "split.count": 3},
            "m.gguf is one of 3 parts. Join them with 'llama-gguf-split --merge'",
        ),
    ],
)
def test_files_that_are_no_model(values: Any, message: str) -> None:
    with pytest.raises(CaptureError, match=message):
        read_metadata(GGUFHeader(Path("m.gguf"), values, {}))
