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
        ({"weights": {"file": "w"}}, "is malformed"),
    ],
)
def test_a_wrong_field_is_an_error(change: dict[str, object], message: str) -> None:
    raw = {**json.loads(MANIFEST.to_json()), **change}
    with pytest.raises(ArtifactError, match=message):
        manifest_from_json(json.dumps(raw), "here")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3"])
def test_other_files_are_errors(text: str) -> None:
    with pytest.raises(ArtifactError, match="here"):
        manifest_from_json(text, "here")


def test_a_directory_without_one_is_no_artifact(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match=r"is not an artifact: it has no manifest\.json"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ArtifactError, match="cannot be read"):
        read_manifest(tmp_path)
