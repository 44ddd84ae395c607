"""From an artifact directory to a loaded program."""

from collections.abc import Sequence
from pathlib import Path

from octavo.artifact import Manifest, Program
from octavo.errors import ArtifactError, DeviceError, OctavoError
from octavo.runtime.compatibility import check_cpu_features, check_iree_version, machine_features
from octavo.runtime.device import Device, open_device
from octavo.runtime.executable import IreeExecutable
from octavo.runtime.integrity import check_files


def load_executable(
    directory: Path, manifest: Manifest, target: str | None = None
) -> IreeExecutable:
    """Load a program of an artifact.

    Args:
        directory: the artifact.
        manifest: its manifest.
        target: which program; `None` takes the first in the manifest that runs on this machine.

    Raises:
        ArtifactError: the artifact is damaged, made for another version, holds no program for `target`, or
            uses CPU features that this machine lacks.
        DeviceError: there is no device for the program.
    """
    check_iree_version(manifest)
    programs = manifest.programs if target is None else (manifest.program_for(target),)
    program, device = _first_that_runs(directory, programs)
    check_files(directory, manifest, program)
    return IreeExecutable(device, directory, manifest, program)


def _first_that_runs(directory: Path, programs: Sequence[Program]) -> tuple[Program, Device]:
    reasons: list[OctavoError] = []
    for program in programs:
        try:
            check_cpu_features(program, machine_features())
            return program, open_device(program.driver)
        except (ArtifactError, DeviceError) as error:
            reasons.append(error)
    if len(reasons) == 1:
        raise reasons[0]
    listed = "".join(
        f"\n  {program.target}: {reason}" for program, reason in zip(programs, reasons, strict=True)
    )
    raise ArtifactError(f"no program of {directory} runs on this machine:{listed}")
