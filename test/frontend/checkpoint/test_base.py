"""Small readers that every kind of checkpoint shares."""

from pathlib import Path

import pytest
import torch

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.base import TensorInfo, find_tensor, token_ids


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (None, ()),
        (2, (2,)),
        (0, (0,)),
        ([128009, 128001, 128001], (128001, 128009)),
        ((7,), (7,)),
        ([], ()),
        (-1, ()),
        ("2", ()),
    ],
)
def test_token_ids(value: object, ids: tuple[int, ...]) -> None:
    assert token_ids(value) == ids


def test_a_tensor_that_is_not_there() -> None:
    tensors = {"a": TensorInfo((1,), torch.float32, "F32", Path("f"))}
    assert find_tensor(tensors, "a", Path("model")) is tensors["a"]
    with pytest.raises(CaptureError, match="model holds no tensor 'b' among its 1"):
        find_tensor(tensors, "b", Path("model"))
