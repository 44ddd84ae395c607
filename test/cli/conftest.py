"""Fixtures of models and artifacts; commands run with the tests' own compile cache."""

from pathlib import Path

import pytest
from models import cache_root, smollm2_path, speaking_artifact, speaking_model

__all__ = ["cache_root", "smollm2_path", "speaking_artifact", "speaking_model"]


@pytest.fixture(autouse=True)
def own_cache(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_CACHE", str(cache_root))
