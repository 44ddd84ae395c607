"""Keys of the cache: digests of everything a compilation depends on, made without importing torch."""

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from octavo.errors import CaptureError

_TOOLS = (
    "torch",
    "torch-mlir",
    "transformers",
    "tokenizers",
    "gguf",
    "iree-base-compiler",
)
_COMPILER_FOLDERS = ("dialects", "passes", "frontend", "compiler")
_MODEL_SUFFIXES = (".json", ".safetensors", ".gguf", ".jinja", ".model", ".txt")
_WHOLE_NBYTES = 1 << 20  # a configuration, a tokenizer: read in full
_NUM_SAMPLES = 16
_SAMPLE_NBYTES = 1 << 14


def digest(value: Any) -> str:
    """SHA-256 of a JSON-like value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def source_fingerprint(source: Path) -> str:
    """Identify a checkpoint: small files by their contents, large ones by what changes with them.

    To read gigabytes only to find out that nothing changed would cost more than it saves. A large file
    counts as unchanged while it is the same inode with the same size, times and samples. This rests on
    its ctime: the kernel sets it whenever contents or times are written, and no tool can set it back as
    `cp -p` and `tar` do with the mtime. The samples are there for file systems whose clocks or inodes are
    too coarse. A copy of a large file has another key, which costs a compilation and is never wrong.

    Raises:
        CaptureError: there is no such file or directory.
    """
    if not source.exists():
        raise CaptureError(
            f"no model at {source}: expected a GGUF file or a Hugging Face directory"
        )
    files = [source] if source.is_file() else _model_files(source)
    return digest([_file_identity(path) for path in files])


def _model_files(directory: Path) -> list[Path]:
    return sorted(
        path for path in directory.iterdir() if path.suffix in _MODEL_SUFFIXES and path.is_file()
    )


def _file_identity(path: Path) -> tuple[str | int, ...]:
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if status.st_size <= _WHOLE_NBYTES:
            return path.name, hashlib.sha256(file.read()).hexdigest()
        return (
            path.name,
            status.st_size,
            status.st_ino,
            status.st_mtime_ns,
            status.st_ctime_ns,
            _sample(file, status.st_size),
        )


def _sample(file: BinaryIO, nbytes: int) -> str:
    """Digest of pieces that are spread evenly over a file, from its first bytes to its last."""
    found = hashlib.sha256()
    for index in range(_NUM_SAMPLES):
        file.seek(index * (nbytes - _SAMPLE_NBYTES) // (_NUM_SAMPLES - 1))
        found.update(file.read(_SAMPLE_NBYTES))
    return found.hexdigest()


@cache
def compiler_fingerprint() -> str:
    """Identify the compiler: its sources and the versions of its tools."""
    versions = {name: _version(name) for name in _TOOLS}
    package = Path(__file__).resolve().parents[1]
    sources = (
        path
        for folder in _COMPILER_FOLDERS
        for path in sorted((package / folder).resolve().rglob("*.py"))
    )
    return digest([versions, _contents(sources)])


def _contents(paths: Iterable[Path]) -> list[str]:
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
