"""`octavo inspect` on an artifact, whole and damaged."""

import json
from pathlib import Path

from octavo.artifact import read_manifest
from octavo.cli.main import main


def test_inspect_says_what_is_there(speaking_artifact: Path, capsys) -> None:
    assert main(["inspect", str(speaking_artifact), "--verify"]) == 0
    captured = capsys.readouterr()
    printed = captured.out
    assert "llama, 260 tokens, context 64" in printed
    assert "cpu:native (local-task)" in printed
    assert "2 KV heads of 12" in printed
    assert "1x8, 3x1" in printed
    assert "every file has the digest" in captured.err


def test_inspect_prints_the_manifest(speaking_artifact: Path, capsys) -> None:
    assert main(["inspect", str(speaking_artifact), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format_version"] == 1


def test_inspect_finds_damage(speaking_artifact: Path, tmp_path: Path, capsys) -> None:
    copy = tmp_path / "copy.octavo"
    copy.mkdir()
    for path in speaking_artifact.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    weights = copy / read_manifest(copy).weights.file
    data = bytearray(weights.read_bytes())
    data[-5000] ^= 1
    weights.write_bytes(data)
    assert main(["inspect", str(copy), "--verify"]) == 1
    assert weights.name in capsys.readouterr().err
