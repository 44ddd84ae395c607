"""Passes over MLIR modules, written in Python. Importing a pass module registers its pass."""

import importlib
import pkgutil

from octavo.passes.registry import PHASES


def load_all() -> None:
    """Import every module of every phase, by name, so that all passes are registered."""
    for phase in PHASES:
        package = importlib.import_module(f"{__name__}.{phase}")
        found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name in sorted(module.name for module in found):
            importlib.import_module(name)
