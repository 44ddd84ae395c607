"""Shards and their index: what is read, and what each disagreement between them says."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import open_checkpoint

INDEX = "model.safetensors.index.json"


def edit_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.fixture
def sharded(tiny_llama: PreTrainedModel, tmp_path: Path) -> Path:
    tiny_llama.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 3
    return tmp_path


def test_shards(sharded: Path, tiny_llama: PreTrainedModel) -> None:
    checkpoint = open_checkpoint(sharded)
    parameters = dict(tiny_llama.named_parameters())
    assert set(checkpoint.tensors) == set(parameters)
    for name, tensor in parameters.items():
        assert torch.equal(checkpoint.read(name), tensor.data), name
    info = checkpoint.tensors["model.norm.weight"]
    assert (
        info.file.name
        == json.loads((sharded / INDEX).read_text())["weight_map"]["model.norm.weight"]
    )


def test_a_shard_that_is_missing(sharded: Path) -> None:
    victim = sorted(sharded.glob("*.safetensors"))[1]
    victim.unlink()
    with pytest.raises(CaptureError, match=rf"lacks 1 of the \d+ weight files .*: {victim.name}"):
        open_checkpoint(sharded)


def test_a_shard_that_is_cut_short(sharded: Path) -> None:
    victim = sorted(sharded.glob("*.safetensors"))[2]
    victim.write_bytes(victim.read_bytes()[:-1])
    with pytest.raises(CaptureError, match=rf"{victim.name} is truncated: tensor"):
        open_checkpoint(sharded)


def test_a_shard_of_another_model(sharded: Path) -> None:
    victim = sorted(sharded.glob("*.safetensors"))[0]
    save_file({"other": torch.ones(1)}, victim)
    with pytest.raises(CaptureError, match=rf"{victim.name} lacks tensor '.*' that {INDEX} says"):
        open_checkpoint(sharded)


@pytest.mark.parametrize(
    ("weight_map", "message"),
    [
        (None, "has no weight_map"),
        ({}, "has no weight_map"),
        ({"w": 3}, "names 3 as a weight file: expected a plain file name"),
        ({"w": "../w.safetensors"}, r"names '../w.safetensors' as a weight file"),
        ({"w": ["a"]}, r"names \['a'\] as a weight file"),
    ],
)
def test_an_index_that_is_none(sharded: Path, weight_map: Any, message: str) -> None:
    edit_json(sharded / INDEX, weight_map=weight_map)
    with pytest.raises(CaptureError, match=f"{INDEX} {message}"):
        open_checkpoint(sharded)


@pytest.mark.parametrize("text", ["", "{", "[]", "\x00", '{"weight_map": 1}'])
def test_an_index_that_is_damaged(sharded: Path, text: str) -> None:
    (sharded / INDEX).write_text(text)
    with pytest.raises(CaptureError, match=f"{INDEX} (is not|has no)"):
        open_checkpoint(sharded)


def test_a_shard_that_no_index_names(sharded: Path) -> None:
    shutil.copy(
        sorted(sharded.glob("*.safetensors"))[0], sharded / "model-00099-of-00099.safetensors"
    )
    with pytest.raises(CaptureError, match=r"has 1 weight files .*: model-00099-of-00099.safetens"):
        open_checkpoint(sharded)
    (sharded / "model-00099-of-00099.safetensors").rename(sharded / "consolidated.safetensors")
    open_checkpoint(sharded)


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_tensor_in_two_shards(sharded: Path, is_indexed: bool) -> None:
    first, second = sorted(sharded.glob("*.safetensors"))[:2]
    tensors = load_file(first)
    name = "model.norm.weight" if is_indexed else "of.no.index"
    for path in (first, second):
        save_file(load_file(path) | {name: torch.ones(32)}, path)
    with pytest.raises(CaptureError, match=rf"holds tensor '{name}' twice, in .* and in "):
        open_checkpoint(sharded)
    save_file(tensors, first)


def test_a_tensor_that_the_index_leaves_out_is_found(sharded: Path) -> None:
    weight_map = json.loads((sharded / INDEX).read_text())["weight_map"]
    del weight_map["model.norm.weight"]
    edit_json(sharded / INDEX, weight_map=weight_map)
    assert open_checkpoint(sharded).read("model.norm.weight").shape == (32,)
