"""`octavo compile` on a tiny model."""

from pathlib import Path

from octavo.artifact import read_manifest
from octavo.cli.main import main

SMALL = ("--buckets", "3x1,1x8", "--block-size", "4", "--quiet")


def test_compile_writes_an_artifact(speaking_model: Path, tmp_path: Path, capsys) -> None:
    output = tmp_path / "out.octavo"
    assert main(["compile", str(speaking_model), "-o", str(output), *SMALL]) == 0
    assert read_manifest(output).model.vocab_size == 260
    printed = capsys.readouterr()
    assert str(output) in printed.out
    assert "cpu:native" in printed.out
    assert printed.err == ""


def test_compile_dumps_each_pass_and_prints_times(
    speaking_model: Path, tmp_path: Path, capsys
) -> None:
    dump = tmp_path / "dump"
    output = tmp_path / "out.octavo"
    arguments = [
        "compile",
        str(speaking_model),
        "-o",
        str(output),
        "--dump-to",
        str(dump),
        "--timing",
    ]
    assert main([*arguments, *SMALL]) == 0
    dumped = sorted(path.name for path in (dump / "optimize").iterdir())
    assert dumped[:2] == ["00-input.mlir", "01-fold-identities.mlir"]
    assert any(name.endswith("-paginate-kv.mlir") for name in dumped)
    assert any(path.name.endswith("-check-lowered.mlir") for path in (dump / "lower").iterdir())
    assert "paginate-kv" in capsys.readouterr().err
