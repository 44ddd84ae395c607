"""What a checkpoint is: a model's configuration, its weights under Hugging Face names, its tokenizer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch
from transformers import PreTrainedConfig

from octavo.errors import CaptureError


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor of a checkpoint, known without reading it.

    Attributes:
        shape: sizes as `torch` orders them, the last one contiguous in memory.
        dtype: type that `Checkpoint.read` returns: f32 where the file holds quantised blocks.
        stored: type in the file, as its format spells it: `BF16`, `Q4_1`.
        file: the file that holds it.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    stored: str
    file: Path


class Checkpoint(Protocol):
    """A model on disk. Opening one reads headers only; `read` reads one tensor."""

    @property
    def path(self) -> Path:
        """The directory or file that was opened."""
        ...

    @property
    def config(self) -> PreTrainedConfig:
        """The model's configuration, for `AutoModelForCausalLM.from_config`."""
        ...

    @property
    def tensors(self) -> Mapping[str, TensorInfo]:
        """What the checkpoint holds, by Hugging Face parameter name. Tied weights appear once."""
        ...

    @property
    def bos_token_id(self) -> int | None:
        """The token that starts a sequence, if the model has one."""
        ...

    @property
    def eos_token_ids(self) -> tuple[int, ...]:
        """Tokens that end a generation, ascending."""
        ...

    @property
    def max_context(self) -> int:
        """Tokens that the model was made for, prompt and output together."""
        ...

    def read(self, name: str) -> torch.Tensor:
        """Read one tensor, dequantised to f32 where the file holds blocks.

        Raises:
            CaptureError: no such tensor, or its bytes cannot be read.
        """
        ...

    def write_tokenizer(self, directory: Path) -> tuple[str, ...]:
        """Write `tokenizer.json` and `tokenizer_config.json`, which the `tokenizers` package alone can use.

        Returns:
            Names of the files written; none when the checkpoint has no tokenizer.

        Raises:
            CaptureError: there is one, and it cannot be converted.
        """
        ...


def token_ids(value: object) -> tuple[int, ...]:
    """Read what configurations hold for `eos_token_id`: None, one id, or a list of them."""
    if value is None:
        return ()
    ids = value if isinstance(value, (list, tuple)) else [value]
    return tuple(sorted({token for token in ids if isinstance(token, int) and token >= 0}))


def find_tensor(tensors: Mapping[str, TensorInfo], name: str, path: Path) -> TensorInfo:
    """Look a tensor up.

    Raises:
        CaptureError: the checkpoint at `path` holds no tensor of that name.
    """
    try:
        return tensors[name]
    except KeyError:
        raise CaptureError(
            f"{path} holds no tensor '{name}' among its {len(tensors)}. Check that the weights and "
            "the configuration are of the same model."
        ) from None
