"""The compile cache: directories by content key, built once, also when two processes ask at once.

An entry appears by one rename, complete or not at all. The whole cache may be deleted at any time.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from octavo.errors import CompileError


def default_cache_root() -> Path:
    """`$OCTAVO_CACHE`, or `octavo` in the user's cache directory."""
    if chosen := os.environ.get("OCTAVO_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "octavo"


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache below `root`, which is made when needed."""

    root: Path

    def find(self, kind: str, key: str) -> Path | None:
        """Directory of an entry, or None when it is not there."""
        path = self.root / kind / key
        return path if path.is_dir() else None

    def forget(self, kind: str, key: str) -> None:
        """Drop an entry, if it is there."""
        shutil.rmtree(self.root / kind / key, ignore_errors=True)

    def get_or_build(
        self,
        kind: str,
        key: str,
        build: Callable[[Path], None],
        on_wait: Callable[[], None] = lambda: None,
        is_whole: Callable[[Path], bool] = lambda _: True,
    ) -> Path:
        """Return the entry's directory, building it if it is not there or damaged.

        Args:
            kind: what sort of entry; a subdirectory.
            key: digest of everything the entry depends on.
            build: fills an empty directory; whatever it raises leaves no entry behind.
            on_wait: called when another process is building the same entry, before waiting for it.
            is_whole: whether an entry that is there can be used; one that cannot is built again.

        Raises:
            CompileError: the cache's directory cannot be written.
        """
        found = self.find(kind, key)
        if found is not None and is_whole(found):
            return found
        with self._locked(f"{kind}-{key}", on_wait):
            found = self.find(kind, key)
            if found is not None and is_whole(found):
                return found
            self.forget(kind, key)
            return self._build(kind, key, build)

    def _build(self, kind: str, key: str, build: Callable[[Path], None]) -> Path:
        parent = self.root / kind
        parent.mkdir(parents=True, exist_ok=True)
        self._remove_leftovers(kind, key)
        temporary = parent / f".{key}.{secrets.token_hex(4)}"
        temporary.mkdir()
        try:
            build(temporary)
            # Outputs share these files: to change one there would change it for everybody.
            for file in temporary.iterdir():
                file.chmod(0o444)
            path = parent / key
            temporary.rename(path)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        return path

    def _remove_leftovers(self, kind: str, held_key: str) -> None:
        """Remove what killed processes left: half entries of the key whose lock is held, and of free ones."""
        for left in (self.root / kind).glob(".*.*"):
            key = left.name[1:].rpartition(".")[0]
            if key == held_key:
                shutil.rmtree(left, ignore_errors=True)
                continue
            lock = self.root / "locks" / f"{kind}-{key}"
            with lock.open("w") as handle, contextlib.suppress(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)

    @contextlib.contextmanager
    def _locked(self, name: str, on_wait: Callable[[], None]) -> Iterator[None]:
        directory = self.root / "locks"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            handle = (directory / name).open("w")
        except OSError as error:
            raise CompileError(
                f"the compile cache {self.root} cannot be written: {error}. "
                "Set OCTAVO_CACHE to a directory that can."
            ) from error
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait()
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
