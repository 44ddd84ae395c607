"""Directories change places, or nothing happens."""

import ctypes
import errno
from pathlib import Path

import pytest

from octavo.compiler.rename import exchange


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    one, other = tmp_path / "one", tmp_path / "other"
    for path in (one, other):
        path.mkdir()
        (path / "name").write_text(path.name)
    return one, other


def test_full_directories_change_places(pair: tuple[Path, Path]) -> None:
    one, other = pair
    if not exchange(one, other):
        pytest.skip("this file system exchanges nothing")
    assert (one / "name").read_text() == "other"
    assert (other / "name").read_text() == "one"


def test_a_missing_directory_is_an_error(pair: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        exchange(pair[0], tmp_path / "gone")


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP])
def test_where_it_is_not_known_nothing_happens(
    number: int, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Library:
        def renameat2(self, *_: object) -> int:
            ctypes.set_errno(number)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Library())
    assert not exchange(*pair)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())
    assert not exchange(*pair)
    assert (pair[0] / "name").read_text() == "one"
