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
    dumped = {
        phase: sorted(path.name for path in (dump / phase).iterdir())
        for phase in ("lift", "optimize", "lower")
    }
    assert dumped["lift"][:2] == ["00-input.mlir", "01-fold-identities.mlir"]
    assert dumped["lift"][-1].endswith("-check-lifted.mlir")
    assert any(name.endswith("-paginate-kv.mlir") for name in dumped["optimize"])
    assert not any("-lift-" in name for name in dumped["optimize"])
    assert dumped["lower"][-1].endswith("-check-lowered.mlir")
    assert "paginate-kv" in capsys.readouterr().err


def test_an_artifact_is_not_compiled_again(speaking_artifact: Path, tmp_path: Path, capsys) -> None:
    assert main(["compile", str(speaking_artifact), "-o", str(tmp_path / "out.octavo")]) == 1
    assert (
        f"{speaking_artifact} is an artifact already: expected a model" in capsys.readouterr().err
    )


def test_the_working_directory_is_no_place_for_an_artifact(
    speaking_model: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compile", str(speaking_model), "-o", ".", *SMALL]) == 1
    assert ". is the working directory or holds it" in capsys.readouterr().err
