"""Check that a checkpoint holds the tensors a model needs."""

import re
import warnings
from collections.abc import Mapping, Sequence

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.base import Checkpoint, TensorInfo

_MAX_LISTED = 5
# What files still carry from models that kept computed values: frequencies, causal masks, positions.
_COMPUTED = re.compile(r"(.*\.)?(inv_freq|masked_bias|position_ids|(attn|attention)\.bias)")
_HEAD = re.compile(r"(.*\.)?lm_head\.weight")


def check_tensors(checkpoint: Checkpoint, expected: Mapping[str, Sequence[int]]) -> None:
    """Check that every expected tensor is there, with its shape and a type of floats.

    Warns of tensors that the model does not use. Buffers that a model computes, and the head of a model that
    ties it to its embedding, are no surprise.

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
        _warn_of_unused(checkpoint, expected)
        return
    listed = "\n".join(f"  {problem}" for problem in problems[:_MAX_LISTED])
    rest = len(problems) - _MAX_LISTED
    more = f"\n  and {rest} more" if rest > 0 else ""
    raise CaptureError(
        f"{len(problems)} of the {len(expected)} tensors that the model needs do not fit in "
        f"{checkpoint.path}:\n{listed}{more}\n"
        "Check that the weights and the configuration are of the same model, or download both again."
    )


def _warn_of_unused(checkpoint: Checkpoint, expected: Mapping[str, Sequence[int]]) -> None:
    is_tied = bool(getattr(checkpoint.config, "tie_word_embeddings", False))
    unused = sorted(
        name
        for name in set(checkpoint.tensors) - set(expected)
        if not _COMPUTED.fullmatch(name) and not (is_tied and _HEAD.fullmatch(name))
    )
    if not unused:
        return
    more = f" and {len(unused) - _MAX_LISTED} more" if len(unused) > _MAX_LISTED else ""
    warnings.warn(
        f"{checkpoint.path} holds {len(unused)} tensors that the model does not use: "
        f"{', '.join(unused[:_MAX_LISTED])}{more}. Where they belong to the model, its configuration is that "
        "of another one.",
        stacklevel=3,
    )


def _problem(name: str, shape: tuple[int, ...], info: TensorInfo | None) -> str | None:
    if info is None:
        return f"{name}: expected shape {shape}, got no such tensor"
    if info.shape == shape and info.dtype.is_floating_point:
        if info.dtype.itemsize > 1:
            return None
        return (
            f"{name}: expected floats of 16 bits or more, got {info.stored}, whose scales are elsewhere, "
            f"in {info.file.name}: use the checkpoint it was quantised from"
        )
    return (
        f"{name}: expected floats of shape {shape}, got {info.stored} of shape {info.shape} "
        f"in {info.file.name}"
    )
