"""The tensor types of GGUF that are read, and how their bytes become numbers."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize

from octavo.errors import CaptureError

# Kept in the precision they are stored in.
_FLOATS = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
# Blocks of small integers with scales: dequantised to f32.
_BLOCKS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K")
# Values decoded at once.
_PART_SIZE = 1 << 22
_BY_NUMBER = {GGMLQuantizationType[name].value: name for name in (*_FLOATS, *_BLOCKS)}


@dataclass(frozen=True, slots=True)
class GGUFType:
    """A tensor type: its name, and the size of a block of values in a file."""

    name: str
    block_size: int
    block_nbytes: int

    @property
    def dtype(self) -> torch.dtype:
        """Type of the decoded values."""
        return _FLOATS.get(self.name, torch.float32)

    def nbytes(self, shape: tuple[int, ...]) -> int:
        """Bytes that a tensor takes; its rows are whole blocks."""
        return math.prod(shape) // self.block_size * self.block_nbytes

    def decode(self, data: bytearray, shape: tuple[int, ...]) -> torch.Tensor:
        """Turn a tensor's bytes into values of `dtype`, without a copy where they are floats."""
        if self.name in _FLOATS:
            return torch.frombuffer(data, dtype=self.dtype).reshape(shape)
        width = shape[-1]
        rows = np.frombuffer(data, np.uint8).reshape(
            -1, width // self.block_size * self.block_nbytes
        )
        values = np.empty((len(rows), width), np.float32)
        # In parts: the package holds everything it decodes twice.
        step = max(1, _PART_SIZE // width)
        # A damaged scale may be infinite: that is for whoever looks at the values, not a warning.
        with np.errstate(all="ignore"):
            for start in range(0, len(rows), step):
                part = rows[start : start + step]
                values[start : start + step] = dequantize(part, GGMLQuantizationType[self.name])
        return torch.from_numpy(values.reshape(shape))


def gguf_type(number: int, tensor: str, path: Path) -> GGUFType:
    """Look a type up by its number in the file.

    Raises:
        CaptureError: it is not one that is read; names the tensor of `path` that has it and those that are.
    """
    name = _BY_NUMBER.get(number)
    if name is None:
        known = {kind.value: kind.name for kind in GGMLQuantizationType}
        raise CaptureError(
            f"tensor '{tensor}' of {path} has type {known.get(number, f'number {number}')}, which is "
            f"not read: expected one of {', '.join(_BY_NUMBER.values())}. Use a file quantised to one of "
            "them, or quantise the model again with llama-quantize."
        )
    return GGUFType(name, *GGML_QUANT_SIZES[GGMLQuantizationType[name]])
