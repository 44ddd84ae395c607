"""Reading bytes: all of them, or an error that says how many there are."""

import os
from pathlib import Path

import pytest

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.file_bytes import file_nbytes, read_bytes, read_json_object


def test_reads_the_middle_of_a_file(tmp_path: Path) -> None:
    data = os.urandom(10_000)
    path = tmp_path / "f"
    path.write_bytes(data)
    assert file_nbytes(path) == 10_000
    assert read_bytes(path, 123, 4567, "the middle") == data[123 : 123 + 4567]


def test_a_file_that_shrank_is_reported_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * 100)
    message = "f is truncated: tensor 'w' ends at byte 150, the file has 100"
    with pytest.raises(CaptureError, match=message):
        read_bytes(path, 60, 90, "tensor 'w'")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for attempt in (
        lambda: file_nbytes(tmp_path / "none"),
        lambda: read_bytes(tmp_path / "none", 0, 1, "it"),
        lambda: read_json_object(tmp_path / "none"),
    ):
        with pytest.raises(CaptureError, match=r"none cannot be read: No such file"):
            attempt()


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot be read: expected a file"):
        file_nbytes(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[1]", "is not a JSON object: got list"),
        (b'{"a": ', "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_json_that_is_none(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(text)
    with pytest.raises(CaptureError, match=f"config.json {message}"):
        read_json_object(path)


def test_json(tmp_path: Path) -> None:
    (tmp_path / "f").write_text('{"größe": 1}', encoding="utf-8")
    assert read_json_object(tmp_path / "f") == {"größe": 1}
