"""Typed access to the metadata of a GGUF file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_header import GGUFHeader, Value

# No dimension of a model is larger; a damaged number mostly is, and would be allocated.
_MAX_SIZE = 1 << 31


@dataclass(frozen=True, slots=True)
class Metadata:
    """Keys of one architecture: `attention.head_count` is looked up as `llama.attention.head_count`."""

    path: Path
    values: Mapping[str, Value]
    architecture: str

    def key(self, name: str) -> str:
        """The name as the file spells it."""
        return f"{self.architecture}.{name}"

    def has(self, name: str) -> bool:
        """Whether the file gives a value."""
        return self.key(name) in self.values

    def size(self, name: str, default: int | None = None) -> int:
        """A positive number of something; a list counts when its entries agree.

        Raises:
            CaptureError: missing without a default, of another type, or out of any range.
        """
        value = self._value(name, default)
        if isinstance(value, list) and len(set(value)) == 1:
            value = value[0]
        if type(value) is not int or not 0 < value <= _MAX_SIZE:
            raise self.wrong(name, f"a whole number from 1 to {_MAX_SIZE}", value)
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """A number, in the fewest digits that give the same f32: the file has 1e-05 as 9.99999974e-06.

        Raises:
            CaptureError: missing without a default, of another type, or not finite.
        """
        value = self._value(name, default)
        if not isinstance(value, (int, float)) or not np.isfinite(value):
            raise self.wrong(name, "a finite number", value)
        with np.errstate(over="ignore"):
            single = np.float32(value)
        return float(str(single)) if float(single) == value else float(value)

    def string(self, name: str, default: str | None = None) -> str:
        """A text.

        Raises:
            CaptureError: missing without a default, or of another type.
        """
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self.wrong(name, "a text", value)
        return value

    def wrong(self, name: str, expected: str, got: object) -> CaptureError:
        """Make the error for a value that cannot be used."""
        return CaptureError(
            f"{self.path} has no usable '{self.key(name)}': expected {expected}, got {str(got)[:100]}. "
            "Convert the model again with a current llama.cpp."
        )

    def token_id(self, name: str) -> int | None:
        """A special token's id, such as that of `bos`, or None where the file names none."""
        value = self.values.get(f"tokenizer.ggml.{name}_token_id")
        return value if type(value) is int and 0 <= value < _MAX_SIZE else None

    def _value(self, name: str, default: Value | None) -> Value | None:
        return self.values.get(self.key(name), default)


def read_metadata(header: GGUFHeader) -> Metadata:
    """Give access to a header's metadata.

    Raises:
        CaptureError: it names no architecture, or the file is one part of several.
    """
    architecture = header.metadata.get("general.architecture")
    if not isinstance(architecture, str):
        raise CaptureError(
            f"{header.path} names no architecture: expected a text under 'general.architecture', "
            f"got {architecture!r}."
        )
    parts = header.metadata.get("split.count", 1)
    if isinstance(parts, int) and parts > 1:
        raise CaptureError(
            f"{header.path} is one of {parts} parts. Join them with 'llama-gguf-split --merge'."
        )
    return Metadata(header.path, header.metadata, architecture)
