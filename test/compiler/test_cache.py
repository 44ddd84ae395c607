"""The compile cache: one build for any number of askers, nothing half done."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.compiler.cache import Cache, default_cache_root
from octavo.errors import CompileError


def write(text: str):
    def build(directory: Path) -> None:
        (directory / "content").write_text(text)

    return build


def test_builds_once_and_finds_it_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.find("things", "k") is None
    first = cache.get_or_build("things", "k", write("one"))
    second = cache.get_or_build("things", "k", write("two"))
    assert first == second == cache.find("things", "k")
    assert (second / "content").read_text() == "one"


def test_kinds_and_keys_are_apart(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    paths = {
        cache.get_or_build(kind, key, write(kind + key))
        for kind in ("a", "b")
        for key in ("x", "y")
    }
    assert sorted((path / "content").read_text() for path in paths) == ["ax", "ay", "bx", "by"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_a_failed_build_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    cache = Cache(tmp_path)

    def build(directory: Path) -> None:
        (directory / "half").write_text("done")
        raise error

    with pytest.raises(type(error)):
        cache.get_or_build("things", "k", build)
    assert cache.find("things", "k") is None
    assert list((tmp_path / "things").iterdir()) == []
    assert (cache.get_or_build("things", "k", write("fine")) / "content").read_text() == "fine"


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "things" / ".k.deadbeef"
    left.mkdir(parents=True)
    (left / "half").write_text("done")
    Cache(tmp_path).get_or_build("things", "k", write("fine"))
    assert not left.exists()


def test_what_was_left_under_another_key_is_removed_unless_it_is_being_built(
    tmp_path: Path,
) -> None:
    cache = Cache(tmp_path)
    left = tmp_path / "things" / ".gone.deadbeef"
    left.mkdir(parents=True)

    def build(_directory: Path) -> None:
        own = [path for path in (tmp_path / "things").iterdir() if path != left]
        cache.get_or_build("things", "inner", write("fine"))
        assert all(path.exists() for path in own)

    cache.get_or_build("things", "outer", build)
    assert not left.exists()


def test_forget_makes_it_build_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.get_or_build("things", "k", write("one"))
    cache.forget("things", "k")
    assert (cache.get_or_build("things", "k", write("two")) / "content").read_text() == "two"


def test_the_whole_cache_may_be_deleted(tmp_path: Path) -> None:
    root = tmp_path / "cache"
    cache = Cache(root)
    cache.get_or_build("things", "k", write("one"))
    shutil.rmtree(root)
    assert (cache.get_or_build("things", "k", write("two")) / "content").read_text() == "two"


BUILDER = """
import os, sys, time
from pathlib import Path
from octavo.compiler.cache import Cache
def build(directory):
    print("built", flush=True)
    time.sleep(0.5)
    (directory / "content").write_text("done")
path = Cache(Path(sys.argv[1])).get_or_build("things", "k", build, lambda: print("waited", flush=True))
print((path / "content").read_text())
"""


def test_two_processes_build_it_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUILDER, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = sorted(process.communicate()[0].split() for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    # The second waits, or finds it done when it began late.
    assert printed in ([["built", "done"], ["waited", "done"]], [["built", "done"], ["done"]])


def test_an_unwritable_root_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CompileError, match=r"compile cache .*cannot be written.*OCTAVO_CACHE"):
        Cache(tmp_path / "file" / "cache").get_or_build("things", "k", write("one"))


def test_the_root_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OCTAVO_CACHE", str(tmp_path / "own"))
    assert default_cache_root() == tmp_path / "own"
    monkeypatch.delenv("OCTAVO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache_root() == tmp_path / "xdg" / "octavo"
