"""A Hugging Face directory: `config.json` and one `model.safetensors` or an index of several."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoConfig, PreTrainedConfig

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.base import TensorInfo, find_tensor, token_ids
from octavo.frontend.checkpoint.file_bytes import read_json_object
from octavo.frontend.checkpoint.safetensors_file import SafetensorsFile, open_safetensors
from octavo.frontend.checkpoint.shards import INDEX_NAME, open_shards
from octavo.frontend.checkpoint.tokenizer import copy_tokenizer

CONFIG_NAME = "config.json"
WEIGHTS_NAME = "model.safetensors"
GENERATION_CONFIG_NAME = "generation_config.json"

# Names that files still carry for parameters that `transformers` has renamed since.
_RENAMED = {"gpt_neox": {"embed_out.": "lm_head."}}
# Models of text and images whose text model, given text alone, is a causal model of its own.
_WITH_TEXT_MODEL = ("gemma3", "llava", "mistral3")
# Where the tensors of that text model stand: by the names of its modules, and as transformers saves them.
_TEXT_TENSORS = {
    "model.language_model.": "model.",
    "language_model.model.": "model.",
    "language_model.lm_head.": "lm_head.",
    "lm_head.": "lm_head.",
}


@dataclass(frozen=True, slots=True)
class HuggingFaceCheckpoint:
    """See `Checkpoint`."""

    path: Path
    config: PreTrainedConfig
    tensors: Mapping[str, TensorInfo]
    bos_token_id: int | None
    eos_token_ids: tuple[int, ...]
    max_context: int
    _sources: Mapping[str, tuple[SafetensorsFile, str]]

    def read(self, name: str) -> torch.Tensor:
        """See `Checkpoint.read`."""
        find_tensor(self.tensors, name, self.path)
        file, stored_name = self._sources[name]
        return file.read(stored_name)

    def write_tokenizer(self, directory: Path) -> tuple[str, ...]:
        """See `Checkpoint.write_tokenizer`."""
        return copy_tokenizer(self.path, directory)


def open_hugging_face(path: Path) -> HuggingFaceCheckpoint:
    """Open a directory: its configuration and the headers of its weight files.

    Raises:
        CaptureError: a file is missing, damaged or not supported; says which.
    """
    config = _read_config(path)
    files = _open_weights(path)
    if config.model_type in _WITH_TEXT_MODEL:
        sources = _text_tensors(files)
        config = _text_config(config)
    else:
        sources = _parameter_names(files, config)
    bos = token_ids(config.bos_token_id)
    return HuggingFaceCheckpoint(
        path=path,
        config=config,
        tensors={name: file.spans[stored].info for name, (file, stored) in sources.items()},
        bos_token_id=bos[0] if bos else None,
        eos_token_ids=_eos_token_ids(path, config),
        max_context=_max_context(path, config),
        _sources=sources,
    )


def _read_config(path: Path) -> PreTrainedConfig:
    raw = read_json_object(path / CONFIG_NAME)
    model_type = raw.get("model_type")
    if not isinstance(model_type, str):
        raise CaptureError(f"{path / CONFIG_NAME} names no model_type, got {model_type!r}.")
    if quantization := raw.get("quantization_config"):
        raise CaptureError(
            f"the weights in {path} are quantised already ({quantization}). Use the unquantised "
            "checkpoint, or a GGUF file."
        )
    try:
        config: PreTrainedConfig = AutoConfig.from_pretrained(
            path, local_files_only=True, trust_remote_code=False
        )
    # Each configuration class checks its fields with exceptions of its own choice.
    except Exception as error:
        raise CaptureError(
            f"{path / CONFIG_NAME} is not a configuration that this transformers understands: {error}"
        ) from error
    return config


def _open_weights(path: Path) -> dict[str, SafetensorsFile]:
    """Find the file of each tensor, under the names in the files."""
    if (path / WEIGHTS_NAME).exists():
        file = open_safetensors(path / WEIGHTS_NAME)
        return dict.fromkeys(file.spans, file)
    if (path / INDEX_NAME).exists():
        return open_shards(path)
    raise CaptureError(
        f"{path} has no weights: expected {WEIGHTS_NAME} or {INDEX_NAME}, got "
        f"{_listing(path)}. A checkpoint of another format can be converted with "
        "AutoModelForCausalLM.from_pretrained(...).save_pretrained(...)."
    )


def _listing(path: Path) -> str:
    return ", ".join(sorted(entry.name for entry in path.iterdir())[:10]) or "an empty directory"


def _parameter_names(
    files: Mapping[str, SafetensorsFile], config: PreTrainedConfig
) -> dict[str, tuple[SafetensorsFile, str]]:
    """Map the model's parameter names to files and to the names in them."""
    try:
        model_class: Any = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)]
    except KeyError:
        raise CaptureError(
            f"'{config.model_type}' is not a causal language model of transformers: expected one that "
            "continues a text, or the text model of one of "
            f"{', '.join(_WITH_TEXT_MODEL)}. Use another model."
        ) from None
    prefix = model_class.base_model_prefix
    # Some files were saved from the model without its head: `h.0.ln_1.weight` for `transformer.h.0...`.
    is_bare = not any(name.startswith(f"{prefix}.") for name in files)
    sources: dict[str, tuple[SafetensorsFile, str]] = {}
    for stored, file in files.items():
        name = stored
        for old, new in _RENAMED.get(config.model_type, {}).items():
            if name.startswith(old):
                name = new + name.removeprefix(old)
        if is_bare and not name.startswith("lm_head."):
            name = f"{prefix}.{name}"
        sources[name] = (file, stored)
    return sources


def _text_config(config: PreTrainedConfig) -> PreTrainedConfig:
    """The text model's own configuration, with what the whole model's says for both."""
    text: PreTrainedConfig = config.get_text_config()
    text.tie_word_embeddings = config.tie_word_embeddings
    for name in ("bos_token_id", "eos_token_id"):
        if getattr(config, name, None) is not None:
            setattr(text, name, getattr(config, name))
    return text


def _text_tensors(
    files: Mapping[str, SafetensorsFile],
) -> dict[str, tuple[SafetensorsFile, str]]:
    """The text model's parameters by their names in a model of text alone; the others are for images."""
    return {
        new + stored.removeprefix(old): (file, stored)
        for stored, file in files.items()
        for old, new in _TEXT_TENSORS.items()
        if stored.startswith(old)
    }


def _eos_token_ids(path: Path, config: PreTrainedConfig) -> tuple[int, ...]:
    # What the authors generate with; it names the end of a turn where the configuration does not.
    generation = path / GENERATION_CONFIG_NAME
    if generation.exists() and (ids := token_ids(read_json_object(generation).get("eos_token_id"))):
        return ids
    return token_ids(config.eos_token_id)


def _max_context(path: Path, config: PreTrainedConfig) -> int:
    length = getattr(config, "max_position_embeddings", None)
    if not isinstance(length, int) or length <= 0:
        raise CaptureError(
            f"{path / CONFIG_NAME} gives no context length: expected a positive "
            f"max_position_embeddings, got {length!r}."
        )
    return length
