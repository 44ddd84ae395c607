"""A Hugging Face directory: every family as `save_pretrained` writes it, and what a broken one says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import check_tensors, open_checkpoint

INDEX = "model.safetensors.index.json"


def edit_json(path: Path, **changes: Any) -> None:
    raw = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(raw | changes))


def holds(path: Path, model: PreTrainedModel) -> None:
    """Check that a checkpoint has exactly the parameters of a model."""
    checkpoint = open_checkpoint(path)
    parameters = dict(model.named_parameters())
    check_tensors(checkpoint, {name: tensor.shape for name, tensor in parameters.items()})
    assert set(checkpoint.tensors) == set(parameters)
    for name, tensor in parameters.items():
        assert torch.equal(checkpoint.read(name), tensor.data), name


def test_a_model_comes_back_from_its_directory(
    case: Any, random_model: Callable[[Any], PreTrainedModel], tmp_path: Path
) -> None:
    model = random_model(case)
    model.save_pretrained(tmp_path)
    holds(tmp_path, model)
    config = open_checkpoint(tmp_path).config
    assert config.to_diff_dict() == model.config.to_diff_dict()


@pytest.fixture
def sharded(tiny_llama: PreTrainedModel, tmp_path: Path) -> Path:
    tiny_llama.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 3
    return tmp_path


def test_shards(sharded: Path, tiny_llama: PreTrainedModel) -> None:
    holds(sharded, tiny_llama)
    info = open_checkpoint(sharded).tensors["model.norm.weight"]
    assert (
        info.file.name
        == json.loads((sharded / INDEX).read_text())["weight_map"]["model.norm.weight"]
    )


def test_names_without_the_models_prefix(
    case: Any, random_model: Callable[[Any], PreTrainedModel], tmp_path: Path
) -> None:
    model = random_model(case)
    prefix = f"{model.base_model_prefix}."
    model.save_pretrained(tmp_path)
    file = tmp_path / "model.safetensors"
    bare = {name.removeprefix(prefix): tensor for name, tensor in load_file(file).items()}
    save_file(bare, file)
    holds(tmp_path, model)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_the_stored_precision_is_kept(
    tiny_llama: PreTrainedModel, tmp_path: Path, dtype: torch.dtype
) -> None:
    tiny_llama.to(dtype).save_pretrained(tmp_path)
    checkpoint = open_checkpoint(tmp_path)
    assert {info.dtype for info in checkpoint.tensors.values()} == {dtype}
    assert checkpoint.read("lm_head.weight").dtype == dtype


def test_tokens_and_context(tiny_llama: PreTrainedModel, tmp_path: Path) -> None:
    tiny_llama.save_pretrained(tmp_path)
    checkpoint = open_checkpoint(tmp_path)
    assert (checkpoint.bos_token_id, checkpoint.eos_token_ids) == (None, ())
    assert checkpoint.max_context == 128
    edit_json(tmp_path / "config.json", bos_token_id=1, eos_token_id=2)
    checkpoint = open_checkpoint(tmp_path)
    assert (checkpoint.bos_token_id, checkpoint.eos_token_ids) == (1, (2,))
    # What the authors generate with has the last word.
    edit_json(tmp_path / "generation_config.json", eos_token_id=[7, 3])
    assert open_checkpoint(tmp_path).eos_token_ids == (3, 7)


def test_its_tokenizer_is_taken_over(tiny_llama: PreTrainedModel, tmp_path: Path) -> None:
    tiny_llama.save_pretrained(tmp_path)
    assert open_checkpoint(tmp_path).write_tokenizer(tmp_path) == ()


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


def test_no_weights(tiny_llama: PreTrainedModel, tmp_path: Path) -> None:
    tiny_llama.save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(
        CaptureError, match=r"has no weights: .* got config.json, .*pytorch_model.bin"
    ):
        open_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": None}, "names no model_type, got None"),
        ({"model_type": "quipu"}, "is not a configuration that this transformers understands"),
        ({"hidden_size": "many"}, "is not a configuration that this transformers understands"),
        ({"model_type": "vit"}, "'vit' is not a causal language model"),
        ({"quantization_config": {"quant_method": "gptq"}}, "quantised already .*gptq"),
        ({"max_position_embeddings": 0}, "gives no context length: .* got 0"),
    ],
)
def test_configurations_that_cannot_be_used(
    tiny_llama: PreTrainedModel, tmp_path: Path, changes: Any, message: str
) -> None:
    tiny_llama.save_pretrained(tmp_path)
    edit_json(tmp_path / "config.json", **changes)
    with pytest.raises(CaptureError, match=message):
        open_checkpoint(tmp_path)


def test_no_configuration(tiny_llama: PreTrainedModel, tmp_path: Path) -> None:
    tiny_llama.save_pretrained(tmp_path)
    (tmp_path / "config.json").unlink()
    with pytest.raises(CaptureError, match=r"config.json cannot be read: No such file"):
        open_checkpoint(tmp_path)
