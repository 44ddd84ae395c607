"""How much memory this process may still take."""

from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def available_nbytes(meminfo: Path = _MEMINFO, cgroup: Path = _CGROUP) -> int | None:
    """Return the bytes that can be taken without swapping; `None` where the system does not say.

    Args:
        meminfo: what the kernel says of the machine.
        cgroup: what it says of the container, if there is one that bounds its memory.
    """
    known = [each for each in (_of_machine(meminfo), _of_container(cgroup)) if each is not None]
    return min(known, default=None)


def _of_machine(meminfo: Path) -> int | None:
    for line in _text(meminfo).splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return None


def _of_container(cgroup: Path) -> int | None:
    bound, used = _text(cgroup / "memory.max").strip(), _text(cgroup / "memory.current").strip()
    if not bound.isdigit() or not used.isdigit():
        return None
    # Cached pages of files, such as mapped weights, count as used and are given up when memory is short.
    lines = dict(line.split() for line in _text(cgroup / "memory.stat").splitlines())
    cached = int(lines.get("inactive_file", 0)) + int(lines.get("active_file", 0))
    return max(0, int(bound) - int(used) + cached)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
