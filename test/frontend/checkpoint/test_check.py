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
        config=SimpleNamespace(tie_word_embeddings=True),
    )


WEIGHT = ((4,), torch.float32, "F32")


def test_all_is_well() -> None:
    found = checkpoint(
        a=((2, 3), torch.bfloat16, "BF16"),
        b=((), torch.float32, "Q4_1"),
    )
    check_tensors(found, {"a": torch.Size([2, 3]), "b": ()})


def test_what_is_not_used_is_told_once_and_counted() -> None:
    found = checkpoint(a=WEIGHT, **{f"extra{i}.weight": WEIGHT for i in range(7)})
    with pytest.warns(UserWarning, match="holds 7 tensors") as caught:
        check_tensors(found, {"a": (4,)})
    [warning] = caught
    names = ", ".join(f"extra{i}.weight" for i in range(5))
    assert str(warning.message).startswith(
        f"/models/m holds 7 tensors that the model does not use: {names} and 2 more. "
    )


def test_what_models_compute_and_a_tied_head_are_no_surprise() -> None:
    names = [
        *("lm_head.weight", "model.layers.0.self_attn.rotary_emb.inv_freq"),
        *("transformer.h.0.attn.bias", "transformer.h.0.attn.masked_bias"),
        *("gpt_neox.layers.0.attention.bias", "model.embeddings.position_ids"),
    ]
    found = checkpoint(a=WEIGHT, **dict.fromkeys(names, WEIGHT))
    check_tensors(found, {"a": (4,)})
    found.config.tie_word_embeddings = False
    with pytest.warns(UserWarning, match=r"holds 1 tensors that the model does not use: lm_head"):
        check_tensors(found, {"a": (4,)})


def test_floats_of_eight_bits_are_refused() -> None:
    found = checkpoint(a=((4,), torch.float8_e4m3fn, "F8_E4M3"))
    with pytest.raises(
        CaptureError, match=r"a: expected floats of 16 bits or more, got F8_E4M3, .*quantised from"
    ):
        check_tensors(found, {"a": (4,)})


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
