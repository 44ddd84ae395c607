"""Plugins run once each, in order, and their errors name the file."""

from pathlib import Path

import pytest

from octavo.cli.load import load_plugins
from octavo.errors import OctavoError


def test_files_run_in_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for name in ("b", "a"):
        append = f"with open({str(log)!r}, 'a') as file: file.write({name!r})"
        (tmp_path / f"{name}.py").write_text(append)
    load_plugins([tmp_path / "b.py", tmp_path / "a.py"])
    assert log.read_text() == "ba"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("1 / 0", "ZeroDivisionError"), ("def", "SyntaxError"), (None, "FileNotFoundError")],
)
def test_an_error_names_the_file(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "plugin.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(OctavoError, match=rf"cannot load .*plugin.py: {reason}"):
        load_plugins([path])
