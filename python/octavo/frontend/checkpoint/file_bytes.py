"""Read bytes of a weight file, or say exactly which are not there.

Files are read, not mapped: a file that shrinks while it is mapped kills the process.
"""

import json
from collections.abc import Callable
from pathlib import Path

from octavo.errors import CaptureError


def file_nbytes(path: Path) -> int:
    """Return the size of a file in bytes.

    Raises:
        CaptureError: there is no such file, or it is not a file.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}.") from error
    if not path.is_file():
        raise CaptureError(f"{path} cannot be read: expected a file.")
    return size


def read_bytes(path: Path, offset: int, nbytes: int, what: str) -> bytearray:
    """Read `nbytes` bytes at `offset`.

    Args:
        path: the file.
        offset: where to start, in bytes.
        nbytes: how many there must be.
        what: what they are, for messages: `tensor 'lm_head.weight'`.

    Raises:
        CaptureError: the file cannot be read, or ends too early.
    """
    data = bytearray(nbytes)
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(offset)
            got = _fill(file.readinto, data)
    except OSError as error:
        raise CaptureError(f"{path} cannot be read: {error.strerror}.") from error
    if got != nbytes:
        raise truncated(path, what, offset + nbytes, offset + got)
    return data


def _fill(readinto: Callable[[memoryview], int | None], data: bytearray) -> int:
    # One call of the system reads at most 2 GiB.
    view = memoryview(data)
    got = 0
    while got < len(view) and (count := readinto(view[got:])):
        got += count
    return got


def read_json_object(path: Path) -> dict[str, object]:
    """Read a small JSON file whose top level is an object.

    Raises:
        CaptureError: the file is missing or holds something else.
    """
    text = read_bytes(path, 0, file_nbytes(path), "the text")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CaptureError(f"{path} is not JSON: {error}. Download it again.") from error
    if not isinstance(found, dict):
        raise CaptureError(f"{path} is not a JSON object: got {type(found).__name__}.")
    return found


def truncated(path: Path, what: str, expected: int, got: int) -> CaptureError:
    """Make the error for a file that ends inside `what`; `expected` and `got` count bytes from its start."""
    return CaptureError(
        f"{path} is truncated: {what} ends at byte {expected}, the file has {got}. Download it again."
    )
