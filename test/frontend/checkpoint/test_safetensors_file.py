"""A `.safetensors` file: what is read, and what each kind of damage says."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.safetensors_file import open_safetensors

DTYPES = [
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
]


def write(path: Path, header: object, data: bytes = b"") -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def entry(dtype: str = "F32", shape: Any = (2,), offsets: Any = (0, 8)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_reads_what_the_safetensors_package_writes(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    tensors = {
        str(dtype): torch.from_numpy(rng.standard_normal((3, 5))).mul(10).to(dtype)
        for dtype in DTYPES
    }
    tensors |= {"scalar": torch.tensor(1.5), "empty": torch.zeros(0, 4)}
    save_file(tensors, tmp_path / "f", metadata={"format": "pt"})
    file = open_safetensors(tmp_path / "f")
    assert set(file.tensors) == set(tensors)
    for name, tensor in tensors.items():
        found = file.read(name)
        info = file.tensors[name]
        assert (info.shape, info.dtype, info.file) == (tensor.shape, tensor.dtype, tmp_path / "f")
        assert found.shape == tensor.shape
        assert found.dtype == tensor.dtype
        # Bytes: not every type can be compared.
        assert bytes(found.reshape(-1).view(torch.uint8)) == bytes(
            tensor.reshape(-1).view(torch.uint8)
        )


DAMAGED: dict[str, tuple[object, bytes, str]] = {
    "not JSON": (b"{'w': 1}", b"", "its header is not JSON"),
    "not an object": ([1], b"", "not a JSON object"),
    "deep": (b"[" * 100_000, b"", "its header is not JSON"),
    "twice": (b'{"a": 1, "a": 2}', b"", "a name occurs twice"),
    "no dtype": ({"w": {"shape": [2]}}, bytes(8), "tensor 'w' has no dtype, shape and data_off"),
    "unknown type": ({"w": entry("F7")}, bytes(8), "'w' of .* has the unknown type 'F7'"),
    "negative": ({"w": entry(shape=[-1, -2])}, bytes(8), r"has shape \[-1, -2\]"),
    "not whole": ({"w": entry(shape=[2.0])}, bytes(8), r"has shape \[2.0\]"),
    "backwards": ({"w": entry(offsets=[8, 0])}, bytes(8), "lies at bytes 8 to 0"),
    "wrong size": ({"w": entry(shape=[3])}, bytes(8), r"'w' has 8 bytes, 12 expected for F32"),
    "huge": ({"w": entry(shape=[1 << 62, 1 << 62])}, bytes(8), "'w' has 8 bytes, "),
    "gap": ({"w": entry(offsets=[4, 12])}, bytes(12), r"'w' starts at byte \d+, \d+ expected"),
    "overlap": (
        {"a": entry(), "w": entry(offsets=[4, 12])},
        bytes(12),
        r"'w' starts at byte \d+, \d+ expected",
    ),
    "more": ({"w": entry()}, bytes(9), r"its tensors end at byte \d+, the file has \d+"),
    "less": ({"w": entry()}, bytes(7), r"is truncated: tensor 'w' ends at byte \d+, the file"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named(tmp_path: Path, name: str) -> None:
    header, data, message = DAMAGED[name]
    path = write(tmp_path / "f.safetensors", header, data)
    with pytest.raises(CaptureError, match=message) as caught:
        open_safetensors(path)
    assert str(path) in str(caught.value)
    assert "Download it again." in str(caught.value) or name == "unknown type"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the header's length ends at byte 8, the file has 0"),
        (b"\x10\0\0\0\0\0\0\0{}", "the header ends at byte 24, the file has 10"),
        (b"\xff" * 8, "its header claims 18446744073709551615 bytes"),
    ],
)
def test_a_header_that_is_cut_short(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(CaptureError, match=message):
        open_safetensors(tmp_path / "f")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="f cannot be read: No such file"):
        open_safetensors(tmp_path / "f")


def test_a_file_cut_short_after_it_was_opened(tmp_path: Path) -> None:
    save_file({"w": torch.ones(1000)}, tmp_path / "f")
    file = open_safetensors(tmp_path / "f")
    (tmp_path / "f").write_bytes((tmp_path / "f").read_bytes()[:-8])
    with pytest.raises(CaptureError, match="truncated: tensor 'w' ends at byte"):
        file.read("w")
