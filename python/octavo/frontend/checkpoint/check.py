"""Check that a checkpoint holds the tensors a model needs."""

from collections.abc import Mapping, Sequence

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.base import Checkpoint, TensorInfo

_MAX_LISTED = 5


def check_tensors(checkpoint: Checkpoint, expected: Mapping[str, Sequence[int]]) -> None:
    """Check that every expected tensor is there, with its shape and a type of floats.

    Args:
        checkpoint: what was opened.
        expected: shape of each parameter, by Hugging Face name.

    Raises:
        CaptureError: lists the first few that do not fit, each with its file, and how many there are.
    """
    problems = [
        problem
        for name, shape in expected.items()
        if (problem := _problem(name, tuple(shape), checkpoint.tensors.get(name)))
    ]
    if not problems:
        return
    listed = "\n".join(f"  {problem}" for problem in problems[:_MAX_LISTED])
    rest = len(problems) - _MAX_LISTED
    more = f"\n  and {rest} more" if rest > 0 else ""
    raise CaptureError(
        f"{len(problems)} of the {len(expected)} tensors that the model needs do not fit in "
        f"{checkpoint.path}:\n{listed}{more}\n"
        "Check that the weights and the configuration are of the same model, or download both again."
    )


def _problem(name: str, shape: tuple[int, ...], info: TensorInfo | None) -> str | None:
    if info is None:
        return f"{name}: expected shape {shape}, got no such tensor"
    if info.shape == shape and info.dtype.is_floating_point:
        return None
    return (
        f"{name}: expected floats of shape {shape}, got {info.stored} of shape {info.shape} "
        f"in {info.file.name}"
    )
