"""Keys of the cache: digests of everything a compilation depends on, made without importing torch."""

import hashlib
import importlib.metadata
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

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
_HEAD_NBYTES = 1 << 16


def digest(value: Any) -> str:
    """SHA-256 of a JSON-like value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def source_fingerprint(source: Path) -> str:
    """Identify a checkpoint by its files' names, sizes, times and first bytes.

    Reading gigabytes to find out that nothing changed would cost more than it saves.

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
    return sorted(path for path in directory.iterdir() if path.suffix in _MODEL_SUFFIXES)


def _file_identity(path: Path) -> tuple[str, int, int, str]:
    status = path.stat()
    with path.open("rb") as file:
        head = hashlib.sha256(file.read(_HEAD_NBYTES)).hexdigest()
    return path.name, status.st_size, status.st_mtime_ns, head


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
