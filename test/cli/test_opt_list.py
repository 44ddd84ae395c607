"""What --list-passes says of passes and options."""

from dataclasses import dataclass

import pytest

from octavo.cli.opt_list import list_passes
from octavo.mlir import ir
from octavo.passes import load_all
from octavo.passes import registry as passes
from octavo.passes.registry import register_pass


@dataclass(frozen=True)
class Options:
    needed: int
    max_size: int = 4
    is_strict: bool = False
    target: str | None = None


@pytest.fixture(autouse=True)
def own_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass of this file's, gone after a test."""
    load_all()
    monkeypatch.setattr(passes, "_PASSES", dict(passes._PASSES))

    @register_pass("split-heads", options=Options)
    def split_heads(module: ir.Operation, options: Options) -> int:
        """Split heads.

        Before and after.
        """
        return 0


def test_options_are_listed_with_type_and_default() -> None:
    lines = list(list_passes())
    begin = next(i for i, line in enumerate(lines) if line.startswith("  split-heads "))
    assert [line.split() for line in lines[begin : begin + 5]] == [
        ["split-heads", "Split", "heads."],
        ["needed=int", "(required)"],
        ["max-size=int", "(default:", "4)"],
        ["is-strict=bool", "(default:", "false)"],
        ["target=str", "(optional)"],
    ]
    assert [line for line in lines if not line.startswith(" ")] == ["lift:", "optimize:", "lower:"]
