"""Available memory is the least of what the machine and the container have left."""

from pathlib import Path

import pytest

from octavo.runtime.host_memory import available_nbytes


@pytest.fixture
def meminfo(tmp_path: Path) -> Path:
    path = tmp_path / "meminfo"
    path.write_text("MemTotal:       16000 kB\nMemAvailable:    8000 kB\nHugePages_Total: 0\n")
    return path


def container(path: Path, bound: str) -> Path:
    path.mkdir()
    (path / "memory.max").write_text(f"{bound}\n")
    (path / "memory.current").write_text("5000000\n")
    (path / "memory.stat").write_text("anon 1\nactive_file 1000\ninactive_file 200\n")
    return path


def test_without_a_container_the_machine_counts(meminfo: Path, tmp_path: Path) -> None:
    assert available_nbytes(meminfo, tmp_path / "none") == 8000 * 1024
    assert available_nbytes(meminfo, container(tmp_path / "unbounded", "max")) == 8000 * 1024


@pytest.mark.parametrize(
    ("bound", "nbytes"),
    [("6000000", 1001200), ("5000000", 1200), ("1000", 0), (str(1 << 40), 8192000)],
)
def test_the_lower_bound_counts(bound: str, nbytes: int, meminfo: Path, tmp_path: Path) -> None:
    assert available_nbytes(meminfo, container(tmp_path / "c", bound)) == nbytes


def test_where_nobody_says_it_is_unknown(tmp_path: Path) -> None:
    assert available_nbytes(tmp_path / "none", tmp_path / "none") is None


def test_this_machine_has_some() -> None:
    assert (available_nbytes() or 1) > 0
