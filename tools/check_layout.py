"""Check the rules of this repository's own layout, and print what breaks them, a line each."""

import sys
from pathlib import Path

from layout import imports, mirror, pipeline, readmes, sizes

RULES = (mirror.check, imports.check, pipeline.check, readmes.check, sizes.check)


def check(root: Path) -> list[str]:
    """Return what breaks a rule in the tree at `root`; empty when nothing does."""
    return [problem for rule in RULES for problem in rule(root)]


def main() -> int:
    """Check the tree that this file stands in; return the exit status."""
    problems = check(Path(__file__).resolve().parents[1])
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
