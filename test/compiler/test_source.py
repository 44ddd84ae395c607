"""Naming a model: a path, or a package that carries a GGUF file."""

import sys
from pathlib import Path

import pytest

from octavo.compiler.source import find_model
from octavo.errors import CaptureError


def test_a_path_is_a_model(tmp_path: Path) -> None:
    assert find_model(str(tmp_path)) == tmp_path


def test_a_package_with_one_gguf_file_is_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "llm_pocket"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('must not be imported')")
    (package / "pocket.gguf").write_text("")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert find_model("llm-pocket") == package / "pocket.gguf"


@pytest.mark.parametrize("name", ["no-such-thing", "../nowhere", "json"])
def test_anything_else_is_an_error(name: str) -> None:
    with pytest.raises(CaptureError, match=f"no model '{name}': expected a GGUF file"):
        find_model(name)


@pytest.mark.parametrize("name", [None, 3, b"model", ["model"]])
def test_what_is_no_name_is_an_error(name: object) -> None:
    with pytest.raises(ValueError, match=r"source: expected a GGUF file, .*, got "):
        find_model(name)
