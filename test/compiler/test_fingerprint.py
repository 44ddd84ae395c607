"""Cache keys change when, and only when, what they stand for changes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from octavo.compiler.fingerprint import compiler_fingerprint, digest, source_fingerprint
from octavo.errors import CaptureError

MEBIBYTE = 1 << 20
LARGE = 8 * MEBIBYTE


@pytest.fixture
def model(tmp_path: Path) -> Path:
    directory = tmp_path / "model"
    directory.mkdir()
    (directory / "config.json").write_text('{"a": 1}')
    (directory / "model.safetensors").write_bytes(b"\x01" * 100)
    return directory


@pytest.fixture
def weights(model: Path) -> Path:
    """A file of the model that is too large to be read in full: 8 MiB."""
    path = model / "large.safetensors"
    path.write_bytes(b"\x01" * LARGE)
    return path


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


def test_a_small_file_is_what_it_holds(model: Path) -> None:
    before = source_fingerprint(model)
    os.utime(model / "config.json", ns=(1, 1))
    copy = model / "copy"
    copy.write_bytes((model / "config.json").read_bytes())
    copy.replace(model / "config.json")
    assert source_fingerprint(model) == before


def test_a_new_time_counts_for_what_is_not_read(model: Path, weights: Path) -> None:
    before = source_fingerprint(model)
    os.utime(weights, ns=(1, 1))
    assert source_fingerprint(model) != before


def test_a_time_that_is_set_back_hides_no_change(model: Path, weights: Path) -> None:
    times = weights.stat()
    before = source_fingerprint(model)
    with weights.open("r+b") as file:  # as a fine-tune of the same shapes; in no sample
        file.seek(LARGE // 30)
        file.write(b"\x02" * 100)
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert weights.stat().st_mtime_ns == times.st_mtime_ns
    assert source_fingerprint(model) != before


def test_another_file_in_its_place_is_another_model(model: Path, weights: Path) -> None:
    before = source_fingerprint(model)
    times = weights.stat()
    other = model / "other"
    other.write_bytes(weights.read_bytes())
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(weights)
    assert source_fingerprint(model) != before


@pytest.mark.parametrize("position", [0, LARGE // 2, LARGE - MEBIBYTE])
def test_samples_see_a_change_that_no_time_shows(
    position: int, model: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stat(_descriptor: int) -> os.stat_result:
        return os.stat_result((0o100644, 7, 1, 1, 0, 0, LARGE, 1, 1, 1))

    monkeypatch.setattr(os, "fstat", stat)
    before = source_fingerprint(weights)
    assert source_fingerprint(weights) == before
    with weights.open("r+b") as file:
        file.seek(position)
        file.write(b"\x02" * MEBIBYTE)
    assert source_fingerprint(weights) != before


def test_a_link_is_the_file_it_leads_to(model: Path, weights: Path) -> None:
    blob = model.parent / "blob"
    weights.rename(blob)
    weights.symlink_to(blob)
    before = source_fingerprint(model)
    blob.write_bytes(b"\x03" * LARGE)
    assert source_fingerprint(model) != before


def test_terabytes_take_no_time(model: Path, weights: Path) -> None:
    with weights.open("r+b") as file:
        file.truncate(1 << 40)  # sparse
    begin = time.perf_counter()
    source_fingerprint(model)
    assert time.perf_counter() - begin < 1


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
