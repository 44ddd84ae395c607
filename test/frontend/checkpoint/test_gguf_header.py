"""The header of a GGUF file: what the `gguf` package writes is read, and damage is named."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_header import read_gguf_header, read_gguf_tensor

UINT32, STRING, ARRAY = 4, 8, 9


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def tensor(name: str, sizes: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    numbers = struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
    return text(name) + numbers + struct.pack("<IQ", kind, offset)


def file(
    keys: tuple[bytes, ...] = (), tensors: tuple[bytes, ...] = (), data: bytes = b"", **head: Any
) -> bytes:
    magic = head.get("magic", b"GGUF") + struct.pack("<I", head.get("version", 3))
    header = magic + struct.pack("<QQ", len(tensors), len(keys)) + b"".join((*keys, *tensors))
    return header + bytes(-len(header) % 32) + data


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], Path]:
    def write_file(data: bytes) -> Path:
        (tmp_path / "m.gguf").write_bytes(data)
        return tmp_path / "m.gguf"

    return write_file


def test_reads_what_the_gguf_package_writes(tmp_path: Path, rng: np.random.Generator) -> None:
    values: dict[str, tuple[str, Any]] = {
        "a.u8": ("uint8", 200),
        "a.i8": ("int8", -100),
        "a.u16": ("uint16", 60000),
        "a.i16": ("int16", -30000),
        "a.u32": ("uint32", 4000000000),
        "a.i32": ("int32", -2000000000),
        "a.u64": ("uint64", 1 << 63),
        "a.i64": ("int64", -(1 << 62)),
        "a.f32": ("float32", 0.5),
        "a.f64": ("float64", 0.1),
        "a.bool": ("bool", True),
        "a.text": ("string", "größe 🐙"),
        "a.texts": ("array", ["", "ü", "\n"]),
        "a.ints": ("array", [3, 1, 2]),
        "a.floats": ("array", [0.5, -2.0]),
    }
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    for name, (kind, value) in values.items():
        getattr(writer, f"add_{kind}")(name, value)
    writer.add_custom_alignment(64)
    tensors = {f"t{i}": rng.standard_normal((3, i + 1)).astype(np.float32) for i in range(4)}
    for name, array in tensors.items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    header = read_gguf_header(tmp_path / "m.gguf")
    assert {name: header.metadata[name] for name in values} == {
        name: value for name, (_, value) in values.items()
    }
    assert list(header.tensors) == list(tensors)
    for name, array in tensors.items():
        assert header.tensors[name].start % 64 == 0
        assert torch.equal(read_gguf_tensor(header, name), torch.from_numpy(array))


FLOATS = tensor("w", (4, 2))
DAMAGED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the magic number ends at byte 4, the file has 0"),
    "other": (file(magic=b"PK\3\4"), r"is not a GGUF file: it starts with b'PK"),
    "version": (file(version=1), "has GGUF version 1: expected 2 or 3, little-endian. Conv"),
    "big-endian": (file(version=3 << 24), "It is of big-endian byte order"),
    "counts": (
        b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 1 << 60),
        r"the table of keys and tensors ends at byte \d+, the file has 24",
    ),
    "key name": (file((struct.pack("<Q", 1 << 50) + bytes(30),)), "a key ends at byte"),
    "text": (file((key("k", STRING, struct.pack("<Q", 1 << 50)),)), "key 'k' ends at byte"),
    "not UTF-8": (file((key("k", STRING, struct.pack("<Q", 1) + b"\xff"),)), "key 'k' is not UTF"),
    "type of key": (file((key("k", 77, bytes(8)),)), "key 'k' has the unknown type 77"),
    "list": (
        file((key("k", ARRAY, struct.pack("<IQ", UINT32, 1 << 50)),)),
        "key 'k' ends at byte",
    ),
    "list of texts": (
        file((key("k", ARRAY, struct.pack("<IQ", STRING, 1 << 50)),)),
        "key 'k' ends at byte",
    ),
    "list of lists": (
        file((key("k", ARRAY, struct.pack("<IQ", ARRAY, 1) + bytes(12)),)),
        "key 'k' has the unknown type 9",
    ),
    "key twice": (
        file((key("k", UINT32, bytes(4)),) * 2, (FLOATS,), bytes(32)),
        "a name occurs twice",
    ),
    "tensor twice": (file((), (FLOATS, FLOATS), bytes(64)), "a name occurs twice"),
    "dimensions": (file((), (tensor("w", (1,) * 5),), bytes(32)), "'w' has 5 dimensions, 1 to 4"),
    "no size": (file((), (tensor("w", (4, 0)),)), r"'w' has shape \(0, 4\), rows of whole"),
    "part of a block": (file((), (tensor("w", (33, 2), 8),), bytes(99)), r"shape \(2, 33\), rows"),
    "type": (file((), (tensor("w", (4,), 99),)), "'w' of .* has type number 99"),
    "offset": (file((), (tensor("w", (8,), 0, 32),), bytes(64)), "'w' is at offset 32, 0 expected"),
    "alignment": (
        file((key("general.alignment", UINT32, struct.pack("<I", 24)),), (FLOATS,), bytes(32)),
        "its alignment is 24, a power of two",
    ),
    "cut": (file((), (FLOATS,), bytes(31)), r"truncated: tensor 'w' ends at byte \d+, the file"),
    "more": (file((), (FLOATS,), bytes(65)), r"its tensors end at byte \d+, the file has \d+"),
    "vocabulary": (file((key("k", UINT32, bytes(4)),)), "holds a vocabulary and no tensors"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named(write: Callable[[bytes], Path], name: str) -> None:
    data, message = DAMAGED[name]
    path = write(data)
    with pytest.raises(CaptureError, match=message) as caught:
        read_gguf_header(path)
    assert str(path) in str(caught.value)


def test_the_file_of_the_damaged_ones_is_sound(write: Callable[[bytes], Path]) -> None:
    header = read_gguf_header(write(file((key("k", UINT32, bytes(4)),), (FLOATS,), bytes(32))))
    assert header.metadata == {"k": 0}
    assert header.tensors["w"].shape == (2, 4)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"none.gguf cannot be read: No such file"):
        read_gguf_header(tmp_path / "none.gguf")


def test_a_file_cut_short_after_it_was_opened(write: Callable[[bytes], Path]) -> None:
    path = write(file((), (FLOATS,), bytes(32)))
    header = read_gguf_header(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(CaptureError, match="truncated: tensor 'w' ends at byte"):
        read_gguf_tensor(header, "w")
