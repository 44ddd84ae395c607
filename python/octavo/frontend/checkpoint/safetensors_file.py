"""One `.safetensors` file: an eight-byte length, a JSON header, then the tensors' bytes without a gap.

Everything the header says is checked before a tensor is read, because a file cut short or damaged on its way
is common, and what it then says can be anything.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.base import TensorInfo
from octavo.frontend.checkpoint.file_bytes import file_nbytes, read_bytes, truncated

_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
_LENGTH = struct.Struct("<Q")
# The format's own limit; a damaged length is nearly always far beyond it.
_MAX_HEADER_NBYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class _Span:
    info: TensorInfo
    start: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class SafetensorsFile:
    """The tensors of one file and where their bytes are."""

    path: Path
    spans: Mapping[str, _Span]

    @property
    def tensors(self) -> dict[str, TensorInfo]:
        """What the file holds, by the names in it."""
        return {name: span.info for name, span in self.spans.items()}

    def read(self, name: str) -> torch.Tensor:
        """Read a tensor of the file, in the type it is stored in.

        Raises:
            CaptureError: the file can no longer be read.
        """
        span = self.spans[name]
        if span.nbytes == 0:
            return torch.empty(span.info.shape, dtype=span.info.dtype)
        data = read_bytes(self.path, span.start, span.nbytes, f"tensor '{name}'")
        return torch.frombuffer(data, dtype=span.info.dtype).reshape(span.info.shape)


def open_safetensors(path: Path) -> SafetensorsFile:
    """Read and check a file's header.

    Raises:
        CaptureError: the file is missing, cut short or damaged; says where and by how many bytes.
    """
    size = file_nbytes(path)
    header, start = _read_header(path, size)
    spans = {
        name: _span(path, name, entry, start)
        for name, entry in header.items()
        if name != "__metadata__"
    }
    _check_coverage(path, spans, start, size)
    return SafetensorsFile(path, spans)


def _read_header(path: Path, size: int) -> tuple[dict[str, object], int]:
    if size < _LENGTH.size:
        raise truncated(path, "the header's length", _LENGTH.size, size)
    (length,) = _LENGTH.unpack(read_bytes(path, 0, _LENGTH.size, "the header's length"))
    if length > _MAX_HEADER_NBYTES:
        raise _damaged(
            path, f"its header claims {length} bytes, at most {_MAX_HEADER_NBYTES} are valid"
        )
    start = _LENGTH.size + length
    if start > size:
        raise truncated(path, "the header", start, size)
    try:
        text = read_bytes(path, _LENGTH.size, length, "the header").decode()
        header = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"its header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise _damaged(path, "its header is not a JSON object")
    return header, start


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _span(path: Path, name: str, entry: object, start: int) -> _Span:
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [int(begin), int(end)]}:
            pass
        case _:
            raise _damaged(path, f"tensor '{name}' has no dtype, shape and data_offsets")
    if dtype not in _DTYPES:
        known = ", ".join(_DTYPES)
        raise CaptureError(
            f"tensor '{name}' of {path} has the unknown type '{dtype}': expected one of {known}."
        )
    sizes = [size for size in shape if type(size) is int and size >= 0]
    if len(sizes) != len(shape) or not 0 <= begin <= end:
        raise _damaged(
            path, f"tensor '{name}' has shape {shape} and lies at bytes {begin} to {end}"
        )
    nbytes = math.prod(sizes) * _DTYPES[dtype].itemsize
    if end - begin != nbytes:
        raise _damaged(
            path,
            f"tensor '{name}' has {end - begin} bytes, {nbytes} expected for {dtype} of shape {shape}",
        )
    return _Span(TensorInfo(tuple(sizes), _DTYPES[dtype], dtype, path), start + begin, nbytes)


def _check_coverage(path: Path, spans: Mapping[str, _Span], start: int, size: int) -> None:
    """Tensors follow each other from the header's end to the file's: no gap, no overlap, nothing after."""
    end = start
    for name, span in sorted(spans.items(), key=lambda item: (item[1].start, item[1].nbytes)):
        if span.start != end:
            raise _damaged(path, f"tensor '{name}' starts at byte {span.start}, {end} expected")
        end += span.nbytes
        if end > size:
            raise truncated(
                path, f"tensor '{name}'", max(s.start + s.nbytes for s in spans.values()), size
            )
    if end != size:
        raise _damaged(path, f"its tensors end at byte {end}, the file has {size}")


def _damaged(path: Path, problem: str) -> CaptureError:
    return CaptureError(f"{path} is damaged: {problem}. Download it again.")
