"""Whether a compiled program can run on this machine."""

from importlib.metadata import version
from pathlib import Path

from octavo.artifact import Manifest, Program
from octavo.errors import ArtifactError

_CPUINFO = Path("/proc/cpuinfo")
# x86 says "flags", Arm says "Features".
_FEATURE_FIELDS = ("flags", "Features")


def check_iree_version(manifest: Manifest) -> None:
    """Raise `ArtifactError` unless the artifact was compiled for the IREE runtime that is installed."""
    installed = version("iree-base-runtime")
    if manifest.iree_version != installed:
        raise ArtifactError(
            f"the artifact was compiled by IREE {manifest.iree_version}, the installed runtime is "
            f"{installed}. Compile the model again, or install iree-base-runtime {manifest.iree_version}."
        )


def check_cpu_features(program: Program, available: frozenset[str] | None) -> None:
    """Raise `ArtifactError` when the program uses instructions that this CPU lacks.

    Args:
        program: the program; off the CPU it needs no features.
        available: this machine's features, or `None` when they cannot be known.
    """
    if available is None:
        return
    if missing := sorted(set(program.cpu_features) - available):
        raise ArtifactError(
            f"the program for {program.target} needs CPU features that this machine lacks: "
            f"{', '.join(missing)}. Compile the model for this machine with --target cpu:native, or for a "
            "lower level."
        )


def machine_features(cpuinfo: Path = _CPUINFO) -> frozenset[str] | None:
    """Return the CPU features the kernel reports, or `None` where it reports none, as on macOS."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    fields = (line.partition(":") for line in lines)
    # All cores say the same; a core that said less would make the program unsafe there.
    found = [set(values.split()) for name, _, values in fields if name.strip() in _FEATURE_FIELDS]
    return frozenset(set.intersection(*found)) if found else None
