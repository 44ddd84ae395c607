"""A Hugging Face directory: every family as `save_pretrained` writes it, and what a broken one says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import PreTrainedModel

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import check_tensors, open_checkpoint


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


VISION = {
    **{"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1},
    **{"num_attention_heads": 2, "image_size": 28, "patch_size": 14},
}


@pytest.mark.parametrize(
    ("kind", "text", "vision"),
    [
        ("Gemma3Config", "Gemma3TextConfig", "siglip_vision_model"),
        ("LlavaConfig", "LlamaConfig", "clip_vision_model"),
    ],
)
@pytest.mark.parametrize("are_modules", [False, True], ids=["saved names", "module names"])
def test_the_text_model_of_a_model_of_images(
    kind: str, text: str, vision: str, are_modules: bool, tmp_path: Path
) -> None:
    sizes = {
        **{"vocab_size": 96, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2},
        **{"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8},
        **{"bos_token_id": 5, "eos_token_id": 7, "pad_token_id": None},
    }
    config = getattr(transformers, kind)(
        text_config=getattr(transformers, text)(**sizes).to_dict(),
        vision_config={**VISION, "model_type": vision},
        tie_word_embeddings=False,
    )
    model = transformers.AutoModelForImageTextToText.from_config(config).eval()
    model.save_pretrained(tmp_path)
    if are_modules:
        tensors = load_file(tmp_path / "model.safetensors")
        assert "language_model.model.norm.weight" in tensors
        renamed = {
            name.replace("language_model.model.", "model.language_model.").replace(
                "language_model.lm_head.", "lm_head."
            ): tensor
            for name, tensor in tensors.items()
        }
        save_file(renamed, tmp_path / "model.safetensors")

    checkpoint = open_checkpoint(tmp_path)
    assert type(checkpoint.config).__name__ == text
    assert (checkpoint.bos_token_id, checkpoint.eos_token_ids) == (5, (7,))
    alone = transformers.AutoModelForCausalLM.from_config(checkpoint.config).eval()
    alone.load_state_dict({name: checkpoint.read(name) for name in checkpoint.tensors})
    tokens = torch.arange(3, 20)[None]
    with torch.no_grad():
        expected = model(input_ids=tokens, use_cache=False).logits
        got = alone(input_ids=tokens, use_cache=False).logits
    assert torch.equal(got, expected)


def test_another_model_of_images_says_which_can_be_used(
    tiny_llama: PreTrainedModel, tmp_path: Path
) -> None:
    tiny_llama.save_pretrained(tmp_path)
    edit_json(tmp_path / "config.json", model_type="qwen2_vl")
    with pytest.raises(CaptureError, match=r"'qwen2_vl' is not a causal .* one of gemma3, llava"):
        open_checkpoint(tmp_path)
