"""`octavo targets`: what can be compiled for, and what of it this machine runs."""

import argparse
from functools import cache

from octavo.compiler.targets import TARGETS, Target
from octavo.errors import DeviceError
from octavo.runtime.compatibility import machine_features
from octavo.runtime.device import device_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def run(_arguments: argparse.Namespace) -> int:
    """Print a line for each target: its name, IREE's driver, and whether its programs run here."""
    features = machine_features()
    for target in TARGETS.values():
        print(f"{target.name:<20} {target.driver:<11} {_on_this_machine(target, features)}")
    return 0


def _on_this_machine(target: Target, features: frozenset[str] | None) -> str:
    devices = _devices(target.driver)
    if isinstance(devices, str):
        return f"not here: {devices}"
    if not target.name.startswith("cpu:"):
        return f"device: {', '.join(devices)}"
    missing = sorted(set(target.cpu_features) - (features or set(target.cpu_features)))
    return f"not here: the CPU lacks {', '.join(missing)}" if missing else "runs here"


@cache
def _devices(driver: str) -> list[str] | str:
    """The driver's devices, or why there is none."""
    try:
        return device_names(driver) or "no device"
    except DeviceError as error:
        return str(error)
