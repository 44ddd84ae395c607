"""Any pass on any module: it leaves valid IR or says what it does not take, and never fails by accident."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.cli.opt_input import Part, parse, read_parts
from octavo.dialects import create_context
from octavo.errors import OctavoError, PassError
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes.pipeline import call
from octavo.passes.registry import all_passes
from octavo.passes.runner import run_pipeline

load_all()
TESTS = Path(__file__).parents[1]


def parts() -> Iterator[Part]:
    """The modules of every lit test, valid ones and others."""
    for path in sorted(TESTS.rglob("*.mlir")):
        yield from read_parts(str(path), split=True)


def failure(module: ir.Module, name: str) -> BaseException | None:
    """What the pass itself raised."""
    try:
        run_pipeline(module, [call(name)])
    except PassError as error:
        return error.__cause__
    return None


@pytest.mark.parametrize("name", [each.name for each in all_passes()])
def test_a_pass_leaves_valid_ir_or_says_why_not(name: str) -> None:
    num_run = 0
    with create_context():
        for part in parts():
            try:
                module = parse(part)
            except OctavoError:
                continue  # a test of the parser or a verifier
            num_run += 1
            error = failure(module, name)
            assert error is None or isinstance(error, OctavoError | ir.MLIRError), part.name
    assert num_run > 80
