"""Modules to compare."""

from collections.abc import Callable, Iterator

import pytest

from octavo.dialects import create_context
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import parse_pipeline
from octavo.passes.runner import run_pipeline


@pytest.fixture(autouse=True)
def context() -> Iterator[ir.Context]:
    """A current context."""
    with create_context() as context:
        yield context


@pytest.fixture
def after() -> Callable[[str, str], ir.Module]:
    """A module after some passes: `after(text, "cse,canonicalize")`."""

    def run(text: str, pipeline: str) -> ir.Module:
        load_all()
        module = ir.Module.parse(text)
        run_pipeline(module, parse_pipeline(pipeline))
        return module

    return run
