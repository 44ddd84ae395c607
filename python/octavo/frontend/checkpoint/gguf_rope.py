"""Rotary embeddings of a GGUF file as `rope_parameters` of a Hugging Face configuration.

llama.cpp stores plain scalings as metadata, and frequency factors (of Llama 3 and LongRoPE) as tensors.
"""

import math

import torch

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_header import GGUFHeader, read_gguf_tensor
from octavo.frontend.checkpoint.gguf_metadata import Metadata

_FREQS = "rope_freqs.weight"
_LONG, _SHORT = "rope_factors_long.weight", "rope_factors_short.weight"
_DEFAULT_THETA = 10000.0
# Of every Llama 3.x; the file has only the factors that follow from them.
_LLAMA3_LOW, _LLAMA3_HIGH, _LLAMA3_CONTEXT = 1.0, 4.0, 8192


def rope_parameters(header: GGUFHeader, metadata: Metadata, head_dim: int) -> dict[str, object]:
    """Say how the model rotates queries and keys of `head_dim` elements.

    Raises:
        CaptureError: the file names a scaling that is not known, or lacks what its scaling needs.
    """
    theta = metadata.number("rope.freq_base", _DEFAULT_THETA)
    if theta <= 0:
        raise metadata.wrong("rope.freq_base", "a positive number", theta)
    dims = metadata.size("rope.dimension_count", head_dim)
    if dims > head_dim or dims % 2:
        raise metadata.wrong("rope.dimension_count", f"an even number up to {head_dim}", dims)
    parameters: dict[str, object] = {"rope_theta": theta}
    if dims < head_dim:
        parameters["partial_rotary_factor"] = _fraction(dims, head_dim)
    if _LONG in header.tensors:
        return parameters | _longrope(header, metadata, dims)
    if _FREQS in header.tensors:
        return parameters | _frequency_factors(header, metadata, theta, dims)
    return parameters | _scaling(metadata)


def _fraction(dims: int, head_dim: int) -> float:
    # `int(head_dim * fraction)` must be `dims` again: 88 * (30 / 88) is a little less than 30.
    fraction = dims / head_dim
    while int(head_dim * fraction) < dims:
        fraction = math.nextafter(fraction, 1)
    return fraction


def _scaling(metadata: Metadata) -> dict[str, object]:
    kind = metadata.string("rope.scaling.type", "linear" if _has_factor(metadata) else "none")
    if kind == "none":
        return {"rope_type": "default"}
    if kind not in ("linear", "yarn"):
        raise metadata.wrong("rope.scaling.type", "none, linear, yarn, or LongRoPE's tensors", kind)
    # The older name is that of files of 2023.
    name = "rope.scale_linear" if metadata.has("rope.scale_linear") else "rope.scaling.factor"
    factor = metadata.number(name)
    if factor <= 0:
        raise metadata.wrong(name, "a positive factor", factor)
    if kind == "linear":
        return {"rope_type": "linear", "factor": factor}
    optional = {
        "attention_factor": "rope.scaling.yarn_attn_factor",
        "beta_fast": "rope.scaling.yarn_beta_fast",
        "beta_slow": "rope.scaling.yarn_beta_slow",
    }
    return {
        "rope_type": "yarn",
        "factor": factor,
        "original_max_position_embeddings": _original_context(metadata),
        **{field: metadata.number(key) for field, key in optional.items() if metadata.has(key)},
    }


def _has_factor(metadata: Metadata) -> bool:
    return metadata.has("rope.scale_linear") or metadata.has("rope.scaling.factor")


def _original_context(metadata: Metadata) -> int:
    return metadata.size("rope.scaling.original_context_length", metadata.size("context_length"))


def _longrope(header: GGUFHeader, metadata: Metadata, dims: int) -> dict[str, object]:
    parameters: dict[str, object] = {
        "rope_type": "longrope",
        "long_factor": _factors(header, _LONG, dims).tolist(),
        "short_factor": _factors(header, _SHORT, dims).tolist(),
        "original_max_position_embeddings": _original_context(metadata),
    }
    if metadata.has("rope.scaling.attn_factor"):
        parameters["attention_factor"] = metadata.number("rope.scaling.attn_factor")
    return parameters


def _frequency_factors(
    header: GGUFHeader, metadata: Metadata, theta: float, dims: int
) -> dict[str, object]:
    factors = _factors(header, _FREQS, dims)
    factor = float(factors.max())
    context = metadata.size("rope.scaling.original_context_length", _LLAMA3_CONTEXT)
    if torch.allclose(factors, _llama3_factors(theta, dims, factor, context), rtol=1e-4):
        return {
            "rope_type": "llama3",
            "factor": factor,
            "low_freq_factor": _LLAMA3_LOW,
            "high_freq_factor": _LLAMA3_HIGH,
            "original_max_position_embeddings": context,
        }
    # Whatever they came from: LongRoPE takes any factors, here the same ones for short and long.
    return {
        "rope_type": "longrope",
        "long_factor": factors.tolist(),
        "short_factor": factors.tolist(),
        "factor": 1.0,
        "attention_factor": 1.0,
        "original_max_position_embeddings": metadata.size("context_length"),
    }


def _llama3_factors(theta: float, dims: int, factor: float, context: int) -> torch.Tensor:
    wavelengths = 2 * math.pi * theta ** (torch.arange(0, dims, 2, dtype=torch.float64) / dims)
    smooth = (context / wavelengths - _LLAMA3_LOW) / (_LLAMA3_HIGH - _LLAMA3_LOW)
    # Within the clamp's ends this interpolates; past them it is 1 / factor and 1.
    smooth = smooth.clamp(0, 1)
    return (1 / ((1 - smooth) / factor + smooth)).float()


def _factors(header: GGUFHeader, name: str, dims: int) -> torch.Tensor:
    tensor = header.tensors.get(name)
    if tensor is None or tensor.shape != (dims // 2,):
        raise CaptureError(
            f"{header.path} has no usable tensor '{name}': expected {dims // 2} factors, got "
            f"{tensor.shape if tensor else 'none'}."
        )
    factors = read_gguf_tensor(header, name).float()
    if not bool((factors.isfinite() & (factors > 0)).all()):
        raise CaptureError(
            f"tensor '{name}' of {header.path} is damaged: a factor is not positive. Download it again."
        )
    return factors
