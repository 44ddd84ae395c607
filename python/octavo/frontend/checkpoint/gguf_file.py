"""A GGUF file as a checkpoint: Hugging Face's configuration and names over llama.cpp's layout."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import PreTrainedConfig

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.base import TensorInfo, find_tensor
from octavo.frontend.checkpoint.gguf_config import gguf_config
from octavo.frontend.checkpoint.gguf_families import FAMILIES, Family, is_rope_tensor
from octavo.frontend.checkpoint.gguf_header import GGUFHeader, read_gguf_header, read_gguf_tensor
from octavo.frontend.checkpoint.gguf_layout import Layout
from octavo.frontend.checkpoint.gguf_metadata import Metadata, read_metadata
from octavo.frontend.checkpoint.gguf_tokenizer import end_of_turn_ids, write_gguf_tokenizer


@dataclass(frozen=True, slots=True)
class GGUFCheckpoint:
    """See `Checkpoint`."""

    path: Path
    config: PreTrainedConfig
    tensors: Mapping[str, TensorInfo]
    bos_token_id: int | None
    eos_token_ids: tuple[int, ...]
    max_context: int
    _header: GGUFHeader
    _metadata: Metadata
    _sources: Mapping[str, tuple[str, Layout | None]]

    def read(self, name: str) -> torch.Tensor:
        """See `Checkpoint.read`."""
        find_tensor(self.tensors, name, self.path)
        stored, layout = self._sources[name]
        tensor = read_gguf_tensor(self._header, stored)
        return tensor if layout is None else layout(tensor, self.config)

    def write_tokenizer(self, directory: Path) -> tuple[str, ...]:
        """See `Checkpoint.write_tokenizer`."""
        return write_gguf_tokenizer(self._metadata, directory)


def open_gguf(path: Path) -> GGUFCheckpoint:
    """Open a file: its header only.

    Raises:
        CaptureError: the file is missing, cut short, damaged, or of a family or type that is not supported.
    """
    header = read_gguf_header(path)
    metadata = read_metadata(header)
    family = FAMILIES.get(metadata.architecture)
    if family is None:
        raise CaptureError(
            f"{path} holds a model of architecture '{metadata.architecture}', which is not supported: "
            f"expected one of {', '.join(sorted(FAMILIES))}."
        )
    config = gguf_config(header, metadata)
    sources = _sources(header, metadata, family)
    return GGUFCheckpoint(
        path=path,
        config=config,
        tensors={
            name: _info(header, config, stored, layout)
            for name, (stored, layout) in sources.items()
        },
        bos_token_id=metadata.token_id("bos"),
        eos_token_ids=end_of_turn_ids(metadata),
        max_context=metadata.size("context_length"),
        _header=header,
        _metadata=metadata,
        _sources=sources,
    )


def _sources(
    header: GGUFHeader, metadata: Metadata, family: Family
) -> dict[str, tuple[str, Layout | None]]:
    sources: dict[str, tuple[str, Layout | None]] = {}
    unknown: list[str] = []
    for stored in header.tensors:
        if is_rope_tensor(stored):
            continue
        parameter = family.parameter(stored)
        if parameter is None:
            unknown.append(stored)
        else:
            sources[parameter[0]] = (stored, parameter[1])
    if unknown:
        # To leave them out would compute something else than the model.
        raise CaptureError(
            f"{header.path} holds {len(unknown)} tensors that '{metadata.architecture}' models do not "
            f"have: {', '.join(unknown[:5])}. A variant of the family (such as one with experts) is not "
            "supported."
        )
    return sources


def _info(
    header: GGUFHeader, config: PreTrainedConfig, stored: str, layout: Layout | None
) -> TensorInfo:
    tensor = header.tensors[stored]
    meta = torch.empty(tensor.shape, dtype=tensor.type.dtype, device="meta")
    if layout is not None:
        try:
            meta = layout(meta, config)
        except RuntimeError as error:
            raise CaptureError(
                f"tensor '{stored}' of {header.path} has shape {tensor.shape}, which does not divide "
                f"into the heads that the metadata gives: {error}"
            ) from error
    return TensorInfo(tuple(meta.shape), meta.dtype, tensor.type.name, header.path)
