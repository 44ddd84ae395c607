from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from octavo.artifact import Manifest, read_manifest
from octavo.errors import ArtifactError, DeviceError
from octavo.runtime import loader
from octavo.runtime.loader import load_executable


@pytest.fixture
def artifact(make_artifact: Callable[..., Path]) -> tuple[Path, Manifest]:
    directory = make_artifact("local-task")
    return directory, read_manifest(directory)


def with_program(manifest: Manifest, **changes: object) -> Manifest:
    """Put a changed copy of the program before it."""
    changed = replace(manifest.programs[0], **changes)
    return replace(manifest, programs=(changed, *manifest.programs))


def test_the_named_target_is_loaded(artifact: tuple[Path, Manifest]) -> None:
    directory, manifest = artifact
    executable = load_executable(directory, manifest, "local-task:test")
    executable.allocate_kv(1)
    assert executable.vocab_size == 64


def test_a_target_the_artifact_lacks(artifact: tuple[Path, Manifest]) -> None:
    directory, manifest = artifact
    with pytest.raises(
        ArtifactError, match=r"no program for target 'metal'.* holds local-task:test"
    ):
        load_executable(directory, manifest, "metal")


def test_another_iree_version(artifact: tuple[Path, Manifest]) -> None:
    directory, manifest = artifact
    with pytest.raises(ArtifactError, match=r"IREE 1.0"):
        load_executable(directory, replace(manifest, iree_version="1.0"))


def test_the_first_program_that_runs_here_is_taken(artifact: tuple[Path, Manifest]) -> None:
    directory, manifest = artifact
    manifest = with_program(manifest, target="cpu:tomorrow", cpu_features=("quantum",))
    assert load_executable(directory, manifest).vocab_size == 64
    with pytest.raises(ArtifactError, match=r"cpu:tomorrow needs .* lacks: quantum"):
        load_executable(directory, manifest, "cpu:tomorrow")


def test_when_none_runs_every_reason_is_told(
    artifact: tuple[Path, Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, manifest = artifact
    manifest = with_program(manifest, target="cpu:tomorrow", cpu_features=("quantum",))

    def no_device(*_: object) -> None:
        raise DeviceError("no device")

    monkeypatch.setattr(loader, "open_device", no_device)
    with pytest.raises(ArtifactError) as caught:
        load_executable(directory, manifest)
    first, *reasons = str(caught.value).splitlines()
    assert first == f"no program of {directory} runs on this machine:"
    assert reasons[0].startswith("  cpu:tomorrow: the program for cpu:tomorrow needs")
    assert reasons[1] == "  local-task:test: no device"


def test_one_program_that_does_not_run_raises_its_own_error(
    artifact: tuple[Path, Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_device(*_: object) -> None:
        raise DeviceError("no device")

    monkeypatch.setattr(loader, "open_device", no_device)
    with pytest.raises(DeviceError, match=r"^no device$"):
        load_executable(*artifact)


def test_damage_is_no_reason_to_take_another_program(artifact: tuple[Path, Manifest]) -> None:
    directory, manifest = artifact
    manifest = with_program(manifest, target="first", sha256="0" * 64)
    with pytest.raises(ArtifactError, match="vmfb is damaged"):
        load_executable(directory, manifest)


def test_damage_is_seen_before_loading(artifact: tuple[Path, Manifest]) -> None:
    directory, manifest = artifact
    (directory / manifest.weights.file).write_bytes(b"")
    with pytest.raises(
        ArtifactError, match=r"weights.irpa is damaged: expected [\d,]+ bytes, got 0"
    ):
        load_executable(directory, manifest)
