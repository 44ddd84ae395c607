"""A file that cannot be written is known before, and asking changes nothing."""

from pathlib import Path

import pytest

from octavo.cli.reproducer import writing_problem


def test_a_file_that_can_be_written_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "before.mlir"
    assert writing_problem(path) is None
    assert not path.exists()
    path.write_text("kept")
    assert writing_problem(path) is None
    assert path.read_text() == "kept"


@pytest.mark.parametrize("name", [".", "file/before.mlir", "n" * 300])
def test_the_reason_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    problem = writing_problem(tmp_path / name)
    assert problem is not None
    assert problem.startswith(f"{tmp_path / name} cannot be written: ")
