"""Cache keys change when, and only when, what they stand for changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.compiler.fingerprint import compiler_fingerprint, digest, source_fingerprint
from octavo.errors import CaptureError


@pytest.fixture
def model(tmp_path: Path) -> Path:
    directory = tmp_path / "model"
    directory.mkdir()
    (directory / "config.json").write_text('{"a": 1}')
    (directory / "model.safetensors").write_bytes(b"\x01" * 100)
    return directory


def test_the_same_files_give_the_same_key(model: Path) -> None:
    assert source_fingerprint(model) == source_fingerprint(model)


def test_content_size_and_name_count(model: Path) -> None:
    keys = {source_fingerprint(model)}
    (model / "config.json").write_text('{"a": 2}')
    keys.add(source_fingerprint(model))
    (model / "model.safetensors").write_bytes(b"\x01" * 101)
    keys.add(source_fingerprint(model))
    (model / "tokenizer.json").write_text("{}")
    keys.add(source_fingerprint(model))
    assert len(keys) == 4


def test_a_new_time_counts_for_what_is_not_read(model: Path) -> None:
    before = source_fingerprint(model)
    os.utime(model / "model.safetensors", ns=(1, 1))
    assert source_fingerprint(model) != before


def test_files_that_are_no_part_of_a_model_do_not_count(model: Path) -> None:
    before = source_fingerprint(model)
    (model / "README.md").write_text("hello")
    assert source_fingerprint(model) == before


def test_a_single_file_is_a_model(model: Path) -> None:
    assert source_fingerprint(model / "model.safetensors") != source_fingerprint(model)


def test_a_missing_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"no model at .*gone.gguf: expected a GGUF file or"):
        source_fingerprint(tmp_path / "gone.gguf")


def test_digest_tells_values_apart_and_keys_not() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest([1, 2]) != digest([2, 1])


def test_the_compiler_is_identified_without_importing_it() -> None:
    code = (
        "import sys; from octavo.compiler.fingerprint import compiler_fingerprint;"
        "print(compiler_fingerprint());"
        "assert not {'torch', 'torch_mlir', 'transformers', 'iree'} & set(sys.modules), sys.modules"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == compiler_fingerprint()
