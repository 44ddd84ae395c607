"""The manifest survives its file, and says what is wrong with one that is not its own."""

import dataclasses
import json
from pathlib import Path

import pytest

from octavo.artifact import (
    FORMAT_VERSION,
    Manifest,
    MemoryEstimate,
    PassRecord,
    Program,
    Weights,
    manifest_from_json,
    read_manifest,
)
from octavo.config import Bucket, KVLayer, KVLayout, ModelConfig
from octavo.errors import ArtifactError

MANIFEST = Manifest(
    octavo_version="0.1",
    iree_version="3.13.0",
    model=ModelConfig("llama", 97, 64, bos_token_id=None, eos_token_ids=(2, 5)),
    kv=KVLayout((KVLayer(2, 20), KVLayer(1, 12)), 4, "f32"),
    buckets=(Bucket(1, 1), Bucket(3, 8)),
    programs=(
        Program("cpu:native", "local-task", "p.vmfb", "ab", ("avx2",)),
        Program("vulkan", "vulkan", "v", "cd"),
    ),
    weights=Weights("w.irpa", 123, "ef"),
    memory=MemoryEstimate(123, 45, 6),
    level="O2",
    pipeline=(PassRecord("fuse-logits", "01"),),
)


def test_a_manifest_reads_back_as_it_was() -> None:
    assert manifest_from_json(MANIFEST.to_json(), "here") == MANIFEST


def test_a_program_is_found_by_its_target() -> None:
    assert MANIFEST.program_for("vulkan").file == "v"
    with pytest.raises(ArtifactError, match=r"no program for target 'metal'.*cpu:native, vulkan"):
        MANIFEST.program_for("metal")


@pytest.mark.parametrize("field", [each.name for each in dataclasses.fields(Manifest)])
def test_a_missing_field_is_an_error(field: str) -> None:
    raw = json.loads(MANIFEST.to_json())
    del raw[field]
    with pytest.raises(ArtifactError, match=r"here .*Compile the model again"):
        manifest_from_json(json.dumps(raw), "here")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": FORMAT_VERSION + 1}, f"has format version {FORMAT_VERSION + 1}"),
        ({"wings": 2}, "unknown fields wings"),
        ({"buckets": 3}, "is malformed"),
        ({"kv": None}, "is malformed"),
        ({"weights": {"file": "w"}}, "is malformed: missing fields of weights nbytes, sha256"),
        ({"level": 2}, "is malformed: level: expected a string, got 2"),
        ({"memory": []}, r"memory: expected an object, got \[\]"),
        ({"buckets": []}, "buckets: expected at least one element"),
    ],
)
def test_a_wrong_field_is_an_error(change: dict[str, object], message: str) -> None:
    raw = {**json.loads(MANIFEST.to_json()), **change}
    with pytest.raises(ArtifactError, match=message):
        manifest_from_json(json.dumps(raw), "here")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("weights", "nbytes"), "123", 'weights.nbytes: expected an integer, got "123"'),
        (("weights", "nbytes"), 1.5, "weights.nbytes: expected an integer, got 1.5"),
        (("weights", "sha256"), None, "weights.sha256: expected a string, got null"),
        (("weights", "file"), "../x", "weights.file: expected the name of a file in the artifact"),
        (
            ("programs", 0, "file"),
            "/etc/passwd",
            r"programs\[0\].file: expected the name of a file",
        ),
        (("programs", 1, "file"), "..", r"programs\[1\].file: expected the name of a file"),
        (("programs", 0, "file"), "", r"programs\[0\].file: expected the name of a file"),
        (("programs", 0, "file"), "manifest.json", r"programs\[0\].file: expected the name"),
        (("programs", 0, "file"), "a\0b", r"programs\[0\].file: expected the name of a file"),
        (("programs", 0, "cpu_features"), [1], r"cpu_features\[0\]: expected a string, got 1"),
        (("programs", 0, "extra"), 1, r"unknown fields of programs\[0\] extra"),
        (("model", "vocab_size"), True, "model.vocab_size: expected an integer, got true"),
        (("model", "vocab_size"), 0, "model.vocab_size: expected a positive integer, got 0"),
        (("model", "bos_token_id"), "1", 'model.bos_token_id: expected an integer, got "1"'),
        (("model", "eos_token_ids"), 2, "model.eos_token_ids: expected a list, got 2"),
        (("kv", "block_size"), -1, "kv.block_size: expected a positive integer, got -1"),
        (("kv", "dtype"), "f31", 'kv.dtype: expected one of f32, .*, got "f31"'),
        (("kv", "layers", 0, "head_dim"), 0, r"layers\[0\].head_dim: expected a positive integer"),
        (("buckets", 1, "batch"), 0, r"buckets\[1\].batch: expected a positive integer, got 0"),
    ],
)
def test_an_edited_field_is_named(path: tuple[str | int, ...], value: object, message: str) -> None:
    raw = json.loads(MANIFEST.to_json())
    inner = raw
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(ArtifactError, match=rf"^here is malformed: .*{message}"):
        manifest_from_json(json.dumps(raw), "here")


def test_an_artifact_holds_the_manifest_s_files_and_a_tokenizer() -> None:
    tokenizer = {"tokenizer.json", "tokenizer_config.json", "chat_template.jinja"}
    assert MANIFEST.file_names == {"manifest.json", "w.irpa", "p.vmfb", "v", *tokenizer}


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "[" * 100_000])
def test_other_files_are_errors(text: str) -> None:
    with pytest.raises(ArtifactError, match="here"):
        manifest_from_json(text, "here")


def test_a_directory_without_one_is_no_artifact(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"is not an artifact: it has no manifest\.json"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ArtifactError, match="cannot be read"):
        read_manifest(tmp_path)
