"""Checking a checkpoint's tensors against what a model needs."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import TensorInfo, check_tensors


def checkpoint(**tensors: tuple[tuple[int, ...], torch.dtype, str]) -> Any:
    file = Path("/models/m/model-00001-of-00002.safetensors")
    return SimpleNamespace(
        path=Path("/models/m"),
        tensors={name: TensorInfo(*described, file) for name, described in tensors.items()},
    )


def test_all_is_well() -> None:
    found = checkpoint(
        a=((2, 3), torch.bfloat16, "BF16"),
        b=((), torch.float32, "Q4_1"),
        unused=((1,), torch.int64, "I64"),
    )
    check_tensors(found, {"a": torch.Size([2, 3]), "b": ()})


def test_what_does_not_fit_is_listed() -> None:
    found = checkpoint(a=((3, 2), torch.float16, "F16"), b=((4,), torch.int32, "I32"))
    with pytest.raises(CaptureError) as caught:
        check_tensors(found, {"a": (2, 3), "b": (4,), "c": (5,)})
    assert str(caught.value).splitlines() == [
        "3 of the 3 tensors that the model needs do not fit in /models/m:",
        "  a: expected floats of shape (2, 3), got F16 of shape (3, 2) in "
        "model-00001-of-00002.safetensors",
        "  b: expected floats of shape (4,), got I32 of shape (4,) in "
        "model-00001-of-00002.safetensors",
        "  c: expected shape (5,), got no such tensor",
        "Check that the weights and the configuration are of the same model, or download both again.",
    ]


def test_only_the_first_few_are_listed() -> None:
    with pytest.raises(CaptureError, match="9 of the 9 tensors") as caught:
        check_tensors(checkpoint(), {f"t{i}": (1,) for i in range(9)})
    lines = str(caught.value).splitlines()
    assert "t4" in lines[5]
    assert lines[6] == "  and 4 more"
