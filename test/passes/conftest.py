"""A registry of the test's own, and modules to run passes on."""

from collections.abc import Iterator

import pytest

from octavo.dialects import create_context
from octavo.mlir import ir
from octavo.passes import load_all, registry


@pytest.fixture
def own_passes(monkeypatch: pytest.MonkeyPatch) -> dict[str, registry.Pass]:
    """An empty table of passes, for the time of a test."""
    load_all()  # a module registers its pass once in a process: not into this table
    passes: dict[str, registry.Pass] = {}
    monkeypatch.setattr(registry, "_PASSES", passes)
    return passes


@pytest.fixture
def context() -> Iterator[ir.Context]:
    """A current context."""
    with create_context() as context:
        yield context
