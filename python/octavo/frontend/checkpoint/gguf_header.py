"""The header of a GGUF file: metadata, and where each tensor lies.

Read here and not by the `gguf` package's reader, which trusts every count it finds: a damaged one makes it
loop without end. Every length is checked against what is left of the file before it is used, and tensors must
follow each other as the format demands, so a damaged table is found before anything is read through it.

Format: docs/gguf.md of the ggml repository, versions 2 and 3, little-endian.
"""

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.file_bytes import file_nbytes, read_bytes, truncated
from octavo.frontend.checkpoint.gguf_types import GGUFType, gguf_type

Value = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_SCALARS = {
    **{0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4"},
    **{6: "<f4", 7: "|b1", 10: "<u8", 11: "<i8", 12: "<f8"},
}
_DEFAULT_ALIGNMENT = 32
_MAX_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class GGUFTensor:
    """A tensor of the file: shape as `torch` orders it, type, and its first byte in the file."""

    shape: tuple[int, ...]
    type: GGUFType
    start: int

    @property
    def nbytes(self) -> int:
        """Bytes in the file."""
        return self.type.nbytes(self.shape)


@dataclass(frozen=True, slots=True)
class GGUFHeader:
    """What a GGUF file says before its first tensor."""

    path: Path
    metadata: Mapping[str, Value]
    tensors: Mapping[str, GGUFTensor]


def read_gguf_header(path: Path) -> GGUFHeader:
    """Read and check a file's header.

    Raises:
        CaptureError: the file is missing, cut short, damaged or of a type that is not read.
    """
    size = file_nbytes(path)
    try:
        with open(path, "rb") as file:
            return _Parser(path, file, size).header()
    except OSError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}.") from error


def read_gguf_tensor(header: GGUFHeader, name: str) -> torch.Tensor:
    """Read a tensor of the file: its own type for floats, f32 for quantised blocks.

    Raises:
        CaptureError: the file can no longer be read.
    """
    tensor = header.tensors[name]
    data = read_bytes(header.path, tensor.start, tensor.nbytes, f"tensor '{name}'")
    return tensor.type.decode(data, tensor.shape)


class _Parser:
    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self._path = path
        self._file = file
        self._size = size
        self._position = 0

    def header(self) -> GGUFHeader:
        self._check_version()
        num_tensors, num_keys = self._number("<Q"), self._number("<Q")
        # A key takes 13 bytes at least, a tensor 24: more cannot be true.
        self._check_left(13 * num_keys + 24 * num_tensors, "the table of keys and tensors")
        metadata = dict(self._key() for _ in range(num_keys))
        table = [self._tensor() for _ in range(num_tensors)]
        if len(metadata) != num_keys or len({name for name, *_ in table}) != num_tensors:
            raise self._damaged("a name occurs twice")
        return GGUFHeader(self._path, metadata, self._place(table, metadata))

    def _check_version(self) -> None:
        magic = self._take(4, "the magic number")
        if magic != _MAGIC:
            raise CaptureError(
                f"{self._path} is not a GGUF file: it starts with {bytes(magic)!r}, expected {_MAGIC!r}. "
                "A Hugging Face checkpoint is opened by its directory."
            )
        version = self._number("<I")
        if version not in _VERSIONS:
            hint = " It is of big-endian byte order." if version >> 24 else ""
            raise CaptureError(
                f"{self._path} has GGUF version {version}: expected 2 or 3, little-endian.{hint} "
                "Convert it again with a current llama.cpp."
            )

    def _key(self) -> tuple[str, Value]:
        key = self._string("a key")
        return key, self._value(self._number("<I"), key)

    def _value(self, kind: int, key: str) -> Value:
        if kind == _STRING:
            return self._string(f"key '{key}'")
        if kind == _ARRAY:
            kind, count = self._number("<I"), self._number("<Q")
            if kind == _STRING:
                self._check_left(8 * count, f"key '{key}'")
                return [self._string(f"key '{key}'") for _ in range(count)]
            return self._scalars(kind, count, key)
        (scalar,) = self._scalars(kind, 1, key)
        found: bool | int | float = scalar
        return found

    def _scalars(self, kind: int, count: int, key: str) -> list[Any]:
        if kind not in _SCALARS:
            raise self._damaged(f"key '{key}' has the unknown type {kind}")
        dtype = np.dtype(_SCALARS[kind])
        data = self._take(count * dtype.itemsize, f"key '{key}'")
        scalars: list[Any] = np.frombuffer(data, dtype=dtype).tolist()
        return scalars

    def _tensor(self) -> tuple[str, tuple[int, ...], GGUFType, int]:
        name = self._string("a tensor's name")
        num_dimensions = self._number("<I")
        if not 1 <= num_dimensions <= _MAX_DIMENSIONS:
            raise self._damaged(f"tensor '{name}' has {num_dimensions} dimensions, 1 to 4 expected")
        # The file has the contiguous dimension first.
        shape = tuple(reversed([self._number("<Q") for _ in range(num_dimensions)]))
        kind = gguf_type(self._number("<I"), name, self._path)
        if math.prod(shape) == 0 or shape[-1] % kind.block_size:
            raise self._damaged(
                f"tensor '{name}' has shape {shape}, rows of whole blocks of {kind.block_size} expected "
                f"for {kind.name}"
            )
        return name, shape, kind, self._number("<Q")

    def _place(
        self,
        table: list[tuple[str, tuple[int, ...], GGUFType, int]],
        metadata: Mapping[str, Value],
    ) -> dict[str, GGUFTensor]:
        """Find each tensor's bytes; they follow each other in the table's order, each one aligned."""
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if (
            type(alignment) is not int
            or not 0 < alignment <= 1 << 20
            or alignment & (alignment - 1)
        ):
            raise self._damaged(f"its alignment is {alignment}, a power of two expected")
        if not table:
            raise CaptureError(f"{self._path} holds a vocabulary and no tensors: expected a model.")
        first = _align(self._position, alignment)
        tensors: dict[str, GGUFTensor] = {}
        offset = 0
        for name, shape, kind, claimed in table:
            if claimed != offset:
                raise self._damaged(f"tensor '{name}' is at offset {claimed}, {offset} expected")
            tensors[name] = GGUFTensor(shape, kind, first + offset)
            offset = _align(offset + tensors[name].nbytes, alignment)
        last, tensor = list(tensors.items())[-1]
        end = tensor.start + tensor.nbytes
        if end > self._size:
            raise truncated(self._path, f"tensor '{last}'", end, self._size)
        if _align(end, alignment) < self._size:
            raise self._damaged(f"its tensors end at byte {end}, the file has {self._size}")
        return tensors

    def _string(self, what: str) -> str:
        try:
            return self._take(self._number("<Q"), what).decode()
        except UnicodeDecodeError as error:
            raise self._damaged(f"{what} is not UTF-8") from error

    def _number(self, form: str) -> int:
        number: int = struct.unpack(form, self._take(struct.calcsize(form), "the header"))[0]
        return number

    def _take(self, nbytes: int, what: str) -> bytes:
        self._check_left(nbytes, what)
        data = self._file.read(nbytes)
        self._position += nbytes
        if len(data) != nbytes:
            raise truncated(self._path, what, self._position, self._position - nbytes + len(data))
        return data

    def _check_left(self, nbytes: int, what: str) -> None:
        if self._position + nbytes > self._size:
            raise truncated(self._path, what, self._position + nbytes, self._size)

    def _damaged(self, problem: str) -> CaptureError:
        return CaptureError(
            f"{self._path} is damaged near byte {self._position}: {problem}. Download it again."
        )


def _align(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
