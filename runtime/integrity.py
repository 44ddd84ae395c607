"""Whether the files of an artifact are what its manifest says."""

import hashlib
from pathlib import Path

from octavo.artifact import Manifest, Program, read_manifest
from octavo.errors import ArtifactError

_AGAIN = "Copy the artifact again, or compile the model again."


def check_files(directory: Path, manifest: Manifest, program: Program) -> None:
    """Raise `ArtifactError` when a file that loading needs is missing, cut short or changed.

    A program is a few megabytes, so its digest is compared. Of the weights only the size is: a digest would
    read them all, where loading maps them and reads none. `verify` does.
    """
    check_digest(directory / program.file, program.sha256)
    weights = directory / manifest.weights.file
    nbytes = _size(weights)
    if nbytes != manifest.weights.nbytes:
        raise ArtifactError(
            f"{weights} is damaged: expected {manifest.weights.nbytes:,} bytes, got {nbytes:,}. {_AGAIN}"
        )


def verify(directory: Path) -> None:
    """Compare the digests of all programs and of the weights; read every byte of them.

    Raises:
        ArtifactError: a file is missing or is not what the manifest says.
    """
    manifest = read_manifest(directory)
    for program in manifest.programs:
        check_digest(directory / program.file, program.sha256)
    check_digest(directory / manifest.weights.file, manifest.weights.sha256)


def check_digest(path: Path, expected: str) -> None:
    """Raise `ArtifactError` unless `path` is a file with this SHA-256 digest."""
    _size(path)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise ArtifactError(f"{path} is damaged: expected sha256 {expected}, got {found}. {_AGAIN}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read: {error.strerror}. {_AGAIN}") from error
