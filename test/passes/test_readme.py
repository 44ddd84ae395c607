"""passes/README.md says what the registry says."""

import re
from pathlib import Path

from octavo.passes import load_all
from octavo.passes.registry import PHASES, all_passes

README = (Path(__file__).resolve().parents[2] / "passes" / "README.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """The rows of the table under a heading: what is in code marks, and the text beside it."""
    [table] = re.findall(
        rf"^\| {heading} \| \|\n\|---\|---\|\n((?:\|.*\n?)+)", README, re.MULTILINE
    )
    return dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", table, re.MULTILINE))


def test_the_table_is_the_registry() -> None:
    load_all()
    for phase in PHASES:
        expected = {each.name: each.summary for each in all_passes() if each.phase == phase}
        assert rows(phase) == expected


def test_every_verb_is_explained() -> None:
    load_all()
    assert {each.name.partition("-")[0] for each in all_passes()} <= set(rows("verb"))
