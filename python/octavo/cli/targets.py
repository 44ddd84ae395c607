"""`octavo targets`: what can be compiled for."""

import argparse

from octavo.compiler.targets import TARGETS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def run(_arguments: argparse.Namespace) -> int:
    """Print a line for each target."""
    for target in TARGETS.values():
        print(f"{target.name:<22} {target.driver}")
    return 0
