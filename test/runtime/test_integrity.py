from collections.abc import Callable
from pathlib import Path

import pytest

from octavo.artifact import read_manifest
from octavo.errors import ArtifactError
from octavo.runtime.integrity import check_files, verify

PROGRAM = "program-local-task.vmfb"


@pytest.fixture
def directory(make_artifact: Callable[..., Path]) -> Path:
    return make_artifact("local-task")


def check(directory: Path) -> None:
    manifest = read_manifest(directory)
    check_files(directory, manifest, manifest.programs[0])


def flip_last_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_a_whole_artifact_passes(directory: Path) -> None:
    check(directory)
    verify(directory)


@pytest.mark.parametrize("examine", [check, verify])
@pytest.mark.parametrize("file", [PROGRAM, "weights.irpa"])
def test_a_missing_file_is_named(
    directory: Path, examine: Callable[[Path], None], file: str
) -> None:
    (directory / file).unlink()
    with pytest.raises(ArtifactError, match=f"{file} cannot be read: No such file or directory"):
        examine(directory)


@pytest.mark.parametrize("examine", [check, verify])
def test_a_changed_program_is_damaged(directory: Path, examine: Callable[[Path], None]) -> None:
    flip_last_byte(directory / PROGRAM)
    with pytest.raises(
        ArtifactError, match=rf"{PROGRAM} is damaged: expected sha256 \w{{64}}, got \w{{64}}"
    ):
        examine(directory)


def test_truncated_weights_show_by_their_size(directory: Path) -> None:
    weights = directory / "weights.irpa"
    size = weights.stat().st_size
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ArtifactError, match=f"expected {size:,} bytes, got {size - 100:,}"):
        check(directory)


def test_changed_weights_show_when_verified(directory: Path) -> None:
    flip_last_byte(directory / "weights.irpa")
    check(directory)  # loading must not read them all
    with pytest.raises(ArtifactError, match=r"weights.irpa is damaged: expected sha256"):
        verify(directory)
