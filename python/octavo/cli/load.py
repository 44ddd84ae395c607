"""Plugins: Python files that register passes before a command runs."""

import runpy
from collections.abc import Sequence
from pathlib import Path

from octavo.errors import OctavoError


def load_plugins(paths: Sequence[Path]) -> None:
    """Run each file, once, in order.

    Raises:
        OctavoError: a file is missing, or raises.
    """
    for path in paths:
        try:
            runpy.run_path(str(path), run_name=path.stem)
        except Exception as error:
            raise OctavoError(f"cannot load {path}: {type(error).__name__}: {error}") from error
