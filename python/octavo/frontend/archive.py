"""Write a weight archive: IREE's parameter archive (`.irpa`), which a runtime maps into memory as it is.

The file is a header, a table of entries, their names and metadata, and the values, all little-endian. Values
start on a page and each tensor on 64 bytes, which is what IREE needs to use them where they lie. The metadata
of an entry is JSON, `{"dtype": "f16", "shape": [4096, 4096]}`, so the digest of the file covers it too.

Layout: `iree_io_parameter_archive_header_v0_t` of IREE's `runtime/src/iree/schemas/parameter_archive.h`.
"""

import contextlib
import errno
import hashlib
import json
import math
import os
import secrets
import shutil
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import torch

from octavo.artifact import Weights
from octavo.errors import ArtifactError
from octavo.progress import Progress, Task, format_nbytes

TORCH_DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}

# IREE's own alignment for entries; AVX-512 loads and its zero-copy import both ask for it.
TENSOR_ALIGNMENT = 64
_PAGE = 4096
_CHUNK_NBYTES = 1 << 24

_MAGIC = 0x41505249  # "IRPA"
_DATA_ENTRY = 2
# magic, version (major, minor), header size, next header, flags; entries; three segments (offset, size).
_HEADER = struct.Struct("<I2H3Q Q 2Q2Q2Q")
# entry size, type, flags, name and metadata (offset, size), alignment; values (offset, size).
_ENTRY = struct.Struct("<QIQ 2Q2QQ 2Q")
_ENTRY_STRIDE = 80


@dataclass(frozen=True, slots=True)
class _Entry:
    name: bytes
    metadata: bytes
    offset: int
    nbytes: int


def write_archive(
    path: Path,
    shapes: Mapping[str, Sequence[int]],
    read: Callable[[str], torch.Tensor],
    dtype: str | Mapping[str, str],
    progress: Progress,
) -> Weights:
    """Write tensors to an archive, one at a time: memory holds one of them, however many there are.

    The archive appears under its name complete or not at all, also when writing is interrupted.

    Args:
        path: the archive to write or replace, in a directory that exists.
        shapes: name and shape of each tensor, in the order they are stored.
        read: gives a tensor of floats by name; its shape must be the one in `shapes`.
        dtype: type to store, `f32`, `f16` or `bf16`, of all tensors or of each by name; values are
            rounded to it.
        progress: told of the bytes written.

    Returns:
        The file's name, size and SHA-256 digest.

    Raises:
        ArtifactError: the disk is full or cannot be written, or a value does not fit into `f16`.
        ValueError: a type is none of the three, or a tensor has another shape than announced or no floats.
    """
    dtypes = dict.fromkeys(shapes, dtype) if isinstance(dtype, str) else dtype
    if unknown := set(dtypes.values()) - set(TORCH_DTYPES):
        raise ValueError(
            f"no such weight type '{min(unknown)}': expected one of {', '.join(TORCH_DTYPES)}"
        )
    head, entries, total = _plan(shapes, dtypes)
    _check_space(path, total)
    digest = hashlib.sha256()
    with (
        progress.task("weights", total, "B") as task,
        _replacing(path, total) as file,
        ThreadPoolExecutor(1) as pool,
    ):
        writer = _Writer(file, lambda data: pool.submit(digest.update, data), task)
        writer.write(head)
        for (name, shape), entry in zip(shapes.items(), entries, strict=True):
            writer.pad_to(entry.offset)
            writer.write_tensor(_converted(name, read(name), tuple(shape), dtypes[name]))
        writer.pad_to(total)
    return Weights(path.name, total, digest.hexdigest())


def _plan(
    shapes: Mapping[str, Sequence[int]], dtypes: Mapping[str, str]
) -> tuple[bytes, list[_Entry], int]:
    """Lay the file out: everything before the values, the entries by file offset, the file's size."""
    metadata = [
        (name.encode(), json.dumps({"dtype": dtypes[name], "shape": list(shape)}).encode())
        for name, shape in shapes.items()
    ]
    entries_offset = _align(_HEADER.size, 16)
    strings_offset = entries_offset + _ENTRY_STRIDE * len(metadata)
    strings_nbytes = sum(len(name) + len(text) for name, text in metadata)
    values_offset = _align(strings_offset + strings_nbytes, _PAGE)

    entries: list[_Entry] = []
    offset = values_offset
    for (name, shape), (encoded, text) in zip(shapes.items(), metadata, strict=True):
        offset = _align(offset, TENSOR_ALIGNMENT)
        nbytes = math.prod(shape) * TORCH_DTYPES[dtypes[name]].itemsize
        entries.append(_Entry(encoded, text, offset, nbytes))
        offset += nbytes
    total = _align(offset, _PAGE)

    header = _HEADER.pack(
        *(_MAGIC, 0, 0, _HEADER.size, 0, 0),
        len(entries),
        *(entries_offset, _ENTRY_STRIDE * len(entries)),
        *(strings_offset, strings_nbytes),
        *(values_offset, total - values_offset),
    )
    head = header.ljust(entries_offset, b"\0") + _table(entries, values_offset)
    return head + b"".join(entry.name + entry.metadata for entry in entries), entries, total


def _table(entries: Sequence[_Entry], values_offset: int) -> bytes:
    table = bytearray()
    string = 0
    for entry in entries:
        record = _ENTRY.pack(
            *(_ENTRY.size, _DATA_ENTRY, 0),
            *(string, len(entry.name)),
            *(string + len(entry.name), len(entry.metadata)),
            TENSOR_ALIGNMENT,
            *(entry.offset - values_offset, entry.nbytes),
        )
        table += record.ljust(_ENTRY_STRIDE, b"\0")
        string += len(entry.name) + len(entry.metadata)
    return bytes(table)


def _align(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _converted(name: str, tensor: torch.Tensor, shape: tuple[int, ...], dtype: str) -> torch.Tensor:
    if tuple(tensor.shape) != shape or not tensor.is_floating_point():
        raise ValueError(
            f"tensor '{name}' cannot be archived: expected floats of shape {shape}, "
            f"got {tensor.dtype} of shape {tuple(tensor.shape)}"
        )
    converted = tensor.detach().to(TORCH_DTYPES[dtype])
    # A value past the range turns into infinity without a word, and every logit into NaN later.
    if dtype == "f16" and bool(converted.isinf().any()) and not bool(tensor.isinf().any()):
        raise ArtifactError(
            f"tensor '{name}' does not fit into f16: its largest magnitude is "
            f"{float(tensor.abs().max()):g}, f16 holds up to 65504. Compile with weights of bf16 or f32."
        )
    return converted


@dataclass(frozen=True, slots=True)
class _Writer:
    file: BinaryIO
    start_hashing: Callable[[memoryview | bytes], Future[None]]
    task: Task

    def write(self, data: memoryview | bytes) -> None:
        # Hashing takes as long as writing, and neither holds the interpreter: one beside the other.
        hashing = self.start_hashing(data)
        self.file.write(data)
        hashing.result()
        self.task.advance(len(data))

    def pad_to(self, offset: int) -> None:
        self.write(bytes(offset - self.file.tell()))

    def write_tensor(self, tensor: torch.Tensor) -> None:
        # numpy has no bfloat16, and every type has bytes.
        view = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data
        for start in range(0, len(view), _CHUNK_NBYTES):
            self.write(view[start : start + _CHUNK_NBYTES])


def _check_space(path: Path, total: int) -> None:
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError as error:
        raise ArtifactError(f"{path} cannot be written: {error}") from error
    if free < total:
        raise _no_space(path, total, free)


def _no_space(path: Path, total: int, free: int) -> ArtifactError:
    return ArtifactError(
        f"no space for {path}: {total} bytes needed ({format_nbytes(total)}), "
        f"{free} bytes free ({format_nbytes(free)}). Free some, or choose another directory with -o."
    )


@contextlib.contextmanager
def _replacing(path: Path, total: int) -> Iterator[BinaryIO]:
    """Open a file that takes `path`'s place when the block ends, and vanishes when it raises."""
    # In the same directory: a rename is atomic only within one file system.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_directory(path.parent)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            written = temporary.stat().st_size if temporary.exists() else 0
            free = shutil.disk_usage(path.parent).free + written
            raise _no_space(path, total, free) from error
        raise ArtifactError(f"{path} cannot be written: {error}") from error
    finally:
        # After the rename there is nothing left of that name.
        temporary.unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
