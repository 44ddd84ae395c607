from collections.abc import Callable, Mapping
from pathlib import Path

from layout import sizes


def test_only_a_file_over_the_limit_is_reported(
    plant: Callable[[Mapping[str, str]], Path],
) -> None:
    at_limit, over = "x\n" * sizes.MAX_LINES, "x\n" * (sizes.MAX_LINES + 1)
    root = plant({"a.py": at_limit, "b.py": over, "c.mlir": over, "d.md": over})

    problems = sizes.check(root, exempt={"c.mlir": "one table"})

    assert problems == [
        "b.py: has 301 lines: expected at most 300. Move an idea out into its own file."
    ]
