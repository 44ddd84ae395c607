"""Print the requirements of one extra, a line each, for pip's --requirement.

pip has no way to install an extra's packages without building the project, or without their dependencies.
"""

import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def requirements(extra: str, pyproject: str) -> list[str]:
    """Return the requirements of `extra` in the text of a pyproject.toml.

    Raises:
        ValueError: no such extra.
    """
    extras = tomllib.loads(pyproject)["project"]["optional-dependencies"]
    if extra not in extras:
        raise ValueError(
            f"no extra '{extra}' in pyproject.toml: its extras are {', '.join(extras)}"
        )
    return list(extras[extra])


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1], PYPROJECT.read_text(encoding="utf-8"))))
