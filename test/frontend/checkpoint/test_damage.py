"""Files damaged at random: an error of ours or the right tensors, and nothing else."""

from collections.abc import Callable, Mapping
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as GGML
from transformers import PreTrainedModel

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import check_tensors, open_checkpoint

ATTEMPTS = 150


def damaged(data: bytes, rng: np.random.Generator, header: range) -> tuple[bytes, int | None]:
    """Cut a file short, or change one byte of it; return the changed byte's place."""
    if rng.random() < 0.2:
        return data[: rng.integers(len(data))], None
    # Mostly in the header, which is a small part of the file.
    start, stop = (header.start, header.stop) if rng.random() < 0.8 else (0, len(data))
    place = int(rng.integers(start, stop))
    changed = bytearray(data)
    changed[place] ^= int(rng.integers(1, 256))
    return bytes(changed), place


def read_all(path: Path, shapes: Mapping[str, torch.Size], out: Path) -> dict[str, torch.Tensor]:
    checkpoint = open_checkpoint(path)
    check_tensors(checkpoint, shapes)
    checkpoint.write_tokenizer(out)
    found = {name: checkpoint.read(name) for name in checkpoint.tensors}
    for name, tensor in found.items():
        assert tensor.shape == checkpoint.tensors[name].shape
        assert tensor.dtype == checkpoint.tensors[name].dtype
    return found


def survive(
    path: Path,
    victim: Path,
    shapes: Mapping[str, torch.Size],
    checked: range,
    rng: np.random.Generator,
) -> list[str]:
    """Damage `victim` again and again; where a byte in `checked` was changed, what is read must be right.

    Returns what the errors said.
    """
    data = victim.read_bytes()
    messages: list[str] = []
    sound = read_all(path, shapes, path if path.is_dir() else path.parent)
    for _ in range(ATTEMPTS):
        changed, place = damaged(data, rng, range(checked.stop))
        victim.write_bytes(changed)
        try:
            found = read_all(path, shapes, victim.parent)
        except CaptureError as error:
            messages.append(str(error))
            continue
        assert place is not None, "a file that was cut short was read"
        if place in checked:
            for name in shapes:
                assert torch.equal(found[name], sound[name]), (name, place)
    return messages


def test_safetensors(tiny_llama: PreTrainedModel, tmp_path: Path, rng: np.random.Generator) -> None:
    tiny_llama.save_pretrained(tmp_path)
    victim = tmp_path / "model.safetensors"
    length = int.from_bytes(victim.read_bytes()[:8], "little")
    shapes = {name: tensor.shape for name, tensor in tiny_llama.named_parameters()}
    messages = survive(tmp_path, victim, shapes, range(8 + length), rng)
    assert len(messages) > ATTEMPTS // 2
    assert all(str(tmp_path) in message for message in messages)


def with_a_vocabulary(writer: gguf.GGUFWriter) -> None:
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(["<s>", "a", "b", "Ġ", "ab", "Ġa"])
    writer.add_token_types([3, 1, 1, 1, 1, 1])
    writer.add_token_merges(["a b", "Ġ a"])
    writer.add_bos_token_id(0)
    writer.add_chat_template("{{ messages }}")


def test_gguf(
    tiny_llama: PreTrainedModel,
    to_gguf: Callable[..., Path],
    rng: np.random.Generator,
) -> None:
    def types(name: str) -> GGML:
        return GGML.Q4_1 if "ffn" in name and "norm" not in name else GGML.F32

    victim = to_gguf(tiny_llama, types=types, describe=with_a_vocabulary)
    data = victim.read_bytes()
    shapes = {name: tensor.shape for name, tensor in tiny_llama.named_parameters()}
    # The table of tensors. Before it are values that only their meaning could prove wrong.
    last = data.index(b"output_norm.weight")
    table = range(data.index(b"token_embd.weight") - 8, last + len(b"output_norm.weight") + 24)
    messages = survive(victim, victim, shapes, table, rng)
    assert len(messages) > ATTEMPTS // 2
    assert all(str(victim) in message for message in messages)
