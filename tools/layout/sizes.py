"""Rule: one idea a file. A file that grows past the limit holds a second idea that wants to move out."""

from collections.abc import Mapping
from pathlib import Path

from layout import exemptions
from layout.tree import files

MAX_LINES = 300
SUFFIXES = (".py", ".pyi", ".mlir", ".c", ".h", ".cu", ".comp", ".sh")

EXEMPT: Mapping[str, str] = {}


def check(root: Path, exempt: Mapping[str, str] = EXEMPT) -> list[str]:
    """Report every source or test file of more than `MAX_LINES` lines."""
    findings = {
        str(
            path
        ): f"has {count} lines: expected at most {MAX_LINES}. Move an idea out into its own file."
        for path in files(root, SUFFIXES)
        if (count := len((root / path).read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    return exemptions.apply(findings, exempt, "tools/layout/sizes.py")
