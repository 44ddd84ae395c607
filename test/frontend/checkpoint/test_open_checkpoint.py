"""The one way in: what a path may be."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedModel

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import open_checkpoint


def test_a_directory_and_a_file_of_one_model(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path], tmp_path: Path
) -> None:
    tiny_llama.save_pretrained(tmp_path / "hf")
    directory, file = open_checkpoint(str(tmp_path / "hf")), open_checkpoint(to_gguf(tiny_llama))
    assert set(directory.tensors) == set(file.tensors)
    for name in directory.tensors:
        assert torch.equal(directory.read(name), file.read(name))
    assert directory.max_context == file.max_context
    assert (directory.path, file.path) == (tmp_path / "hf", tmp_path / "model.gguf")


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"there is no model at .*/none: expected a directory"):
        open_checkpoint(tmp_path / "none")


def test_a_weight_file_of_a_directory(tiny_llama: PreTrainedModel, tmp_path: Path) -> None:
    tiny_llama.save_pretrained(tmp_path)
    with pytest.raises(CaptureError, match=r"model.safetensors is not a GGUF file: .* by its dir"):
        open_checkpoint(tmp_path / "model.safetensors")
