"""Makes a tree of files to check."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

PlantTree = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def plant(tmp_path: Path) -> PlantTree:
    """Write files, given by path and text, and return the root of their tree."""

    def write(texts: Mapping[str, str]) -> Path:
        for path, text in texts.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")
        return tmp_path

    return write
