"""Puts an artifact of the cache where a user wants it, and replaces nothing but an artifact."""

import fcntl
import os
import re
import secrets
import shutil
from pathlib import Path

from octavo.artifact import read_manifest
from octavo.compiler.rename import exchange
from octavo.errors import ArtifactError


def find_place(output: Path, cache_root: Path) -> Path:
    """Return the directory that `output` means, its links followed: a link stays a link.

    Raises:
        ArtifactError: what is there is not an artifact, or must not be replaced.
    """
    place = Path(os.path.realpath(output))
    shown = (
        str(output) if place == Path(os.path.abspath(output)) else f"{output}, which is {place},"
    )
    if place.is_symlink():
        raise ArtifactError(f"{output} is a link that leads to itself. {_ANOTHER}")
    if Path.cwd().resolve().is_relative_to(place):
        raise ArtifactError(
            f"{shown} is the working directory or holds it: expected a directory that can be replaced as a "
            f"whole. {_ANOTHER}"
        )
    if place.is_relative_to(cache_root.resolve()):
        raise ArtifactError(
            f"{shown} is in the compile cache, whose entries other artifacts share. {_ANOTHER}"
        )
    is_free = not place.exists() or (place.is_dir() and not any(place.iterdir()))
    if not is_free and not _is_only_artifact(place):
        raise ArtifactError(
            f"{shown} exists and is not an artifact: expected a new directory, or one that holds an "
            f"artifact and nothing else, to replace. {_ANOTHER}"
        )
    return place


_ANOTHER = "Choose another with -o."


def _is_only_artifact(directory: Path) -> bool:
    """Whether a directory holds an artifact's files and no others, which replacing it would delete."""
    try:
        manifest = read_manifest(directory)
    except ArtifactError:
        return False
    own = manifest.file_names
    return all(path.is_file() and path.name in own for path in directory.iterdir())


def install(entry: Path, place: Path) -> None:
    """Make `place` the artifact of `entry` in one step, sharing its files where the disk allows."""
    place.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(place)
    temporary = place.parent / f".{place.name}.tmp-{secrets.token_hex(4)}"
    temporary.mkdir()
    lock = os.open(temporary, os.O_RDONLY)
    try:
        _try_lock(lock)
        for file in entry.iterdir():
            _link_or_copy(file, temporary / file.name)
        _replace(temporary, place)
    finally:
        os.close(lock)
        _remove(temporary)


def _replace(temporary: Path, place: Path) -> None:
    """Leave `temporary` at `place`; what was there is at `temporary` then."""
    if not place.exists():
        temporary.rename(place)
        return
    if exchange(temporary, place):
        return
    # A directory cannot be renamed over a full one.
    old = temporary.with_name(f"{temporary.name}.old")
    place.rename(old)
    try:
        temporary.rename(place)
    except BaseException:
        old.rename(place)
        raise
    old.rename(temporary)


def _remove_leftovers(place: Path) -> None:
    """Remove what killed processes left beside `place`: the kernel drops a lock with its process."""
    temporary = re.compile(rf"\.{re.escape(place.name)}\.tmp-[0-9a-f]{{8}}")
    for left in place.parent.iterdir():
        is_ours = temporary.fullmatch(left.name) and left.is_dir() and not left.is_symlink()
        if not is_ours:
            continue
        lock = os.open(left, os.O_RDONLY)
        try:
            if _try_lock(lock):
                _remove(left)
        finally:
            os.close(lock)


def _try_lock(descriptor: int) -> bool:
    """Lock an open directory; False where another process has, or the file system knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(directory: Path) -> None:
    if directory.is_dir():
        directory.chmod(0o755)  # an artifact may have been made read-only
        shutil.rmtree(directory, ignore_errors=True)


def _link_or_copy(source: Path, destination: Path) -> None:
    try:
        os.link(source, destination)
    except OSError:
        shutil.copyfile(source, destination)
