"""A GGUF file as a checkpoint: types of tensors, what is refused, and a real model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch
from gguf import GGMLQuantizationType as GGML
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import check_tensors, open_checkpoint


def patch(path: Path, after: bytes, skip: int, value: int) -> None:
    """Write another u32 into a file, `skip` bytes after the only place of some text."""
    data = path.read_bytes()
    assert data.count(after) == 1
    place = data.index(after) + len(after) + skip
    path.write_bytes(data[:place] + value.to_bytes(4, "little") + data[place + 4 :])


Q = "model.layers.0.self_attn.q_proj.weight"


def test_each_tensor_keeps_its_precision(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]
) -> None:
    stored = {"blk.0.attn_q.weight": GGML.Q8_0, "blk.0.attn_v.weight": GGML.F16}
    path = to_gguf(tiny_llama, types=lambda name: stored.get(name, GGML.BF16))
    checkpoint = open_checkpoint(path)
    expected = {
        Q: (torch.float32, "Q8_0"),
        "model.layers.0.self_attn.v_proj.weight": (torch.float16, "F16"),
        "model.norm.weight": (torch.bfloat16, "BF16"),
    }
    for name, (dtype, kind) in expected.items():
        info = checkpoint.tensors[name]
        assert (info.dtype, info.stored, info.file) == (dtype, kind, path)
        found = checkpoint.read(name)
        original = tiny_llama.get_parameter(name).data
        assert found.dtype == dtype
        # A block of 32 of them has a range of about 1, in 255 steps.
        tolerance = 4e-3 if kind == "Q8_0" else 0.0
        torch.testing.assert_close(found, original.to(dtype), rtol=0, atol=tolerance)


def test_a_type_that_is_not_read_is_known_when_opening(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]
) -> None:
    path = to_gguf(tiny_llama)
    # After the name: the number of dimensions, and two of them.
    patch(path, b"blk.0.ffn_up.weight", 4 + 16, GGML.IQ4_XS.value)
    with pytest.raises(CaptureError, match=r"tensor 'blk.0.ffn_up.weight' of .* has type IQ4_XS"):
        open_checkpoint(path)


def described(**keys: Any) -> Callable[[gguf.GGUFWriter], None]:
    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("no_vocab")
        for key, value in keys.items():
            add = writer.add_uint32 if isinstance(value, int) else writer.add_string
            add(key.replace("__", "."), value)

    return describe


def test_tokens_and_context(tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]) -> None:
    ids = {"bos": 1, "eos": 9, "eot": 4, "padding": 7}
    keys = {f"tokenizer__ggml__{name}_token_id": token for name, token in ids.items()}
    checkpoint = open_checkpoint(to_gguf(tiny_llama, describe=described(**keys)))
    assert checkpoint.bos_token_id == 1
    assert checkpoint.eos_token_ids == (4, 9)
    assert checkpoint.max_context == 128


def test_a_family_that_is_not_supported(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]
) -> None:
    path = to_gguf(tiny_llama, architecture="granite")
    with pytest.raises(CaptureError) as caught:
        open_checkpoint(path)
    assert str(caught.value) == (
        f"{path} holds a model of architecture 'granite', which is not supported: expected one of "
        "gemma, gemma2, gemma3, gpt2, gptneox, llama, olmo2, phi3, qwen2, qwen3, smollm3."
    )


def test_tensors_that_the_family_does_not_have_are_not_left_out(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]
) -> None:
    # A Mixtral file says llama too; its router is what gives it away.
    layer = tiny_llama.get_submodule("model.layers.1")
    layer.block_sparse_moe = torch.nn.Module()
    layer.block_sparse_moe.gate = torch.nn.Linear(32, 8, bias=False)
    path = to_gguf(tiny_llama)
    with pytest.raises(
        CaptureError, match=r"1 tensors that 'llama' models do not have: blk.1.ffn_gate_inp.weight"
    ):
        open_checkpoint(path)


def test_heads_that_do_not_divide_a_tensor(
    tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]
) -> None:
    path = to_gguf(tiny_llama)
    # After the key: its type.
    patch(path, b"llama.attention.head_count_kv", 4, 3)
    with pytest.raises(CaptureError, match=r"'blk.0.attn_k.weight' .* which does not divide"):
        open_checkpoint(path)


def test_one_part_of_several(tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]) -> None:
    path = to_gguf(tiny_llama, describe=described(split__count=3))
    with pytest.raises(CaptureError, match="is one of 3 parts"):
        open_checkpoint(path)


def test_an_unknown_name(tiny_llama: PreTrainedModel, to_gguf: Callable[..., Path]) -> None:
    checkpoint = open_checkpoint(to_gguf(tiny_llama))
    with pytest.raises(CaptureError, match=r"holds no tensor 'lm_head.bias' among its 21"):
        checkpoint.read("lm_head.bias")


def test_a_real_model_is_what_transformers_makes_of_it(smollm2: Path) -> None:
    checkpoint = open_checkpoint(smollm2)
    with torch.device("meta"):
        empty = AutoModelForCausalLM.from_config(checkpoint.config)
    check_tensors(checkpoint, {name: tensor.shape for name, tensor in empty.named_parameters()})
    theirs = load_gguf_checkpoint(str(smollm2), return_tensors=True, model_to_load=empty)
    assert set(checkpoint.tensors) == set(theirs["tensors"])
    for name, tensor in theirs["tensors"].items():
        assert torch.equal(checkpoint.read(name), tensor), name

    config = AutoConfig.for_model(**theirs["config"])
    fields = ("hidden_size", "num_key_value_heads", "head_dim", "rope_parameters", "hidden_act")
    for field in (*fields, "tie_word_embeddings", "max_position_embeddings", "vocab_size"):
        assert getattr(checkpoint.config, field) == getattr(config, field)
    assert checkpoint.config.rms_norm_eps == pytest.approx(config.rms_norm_eps)
    assert checkpoint.eos_token_ids == (config.eos_token_id,)
    assert checkpoint.max_context == 8192
