"""A Hugging Face model without its weights: parameters on the meta device, computed buffers kept."""

import contextlib
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import nn
from transformers import AutoModelForCausalLM, PretrainedConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from octavo.errors import CaptureError
from octavo.frontend.attention_op import INTERFACE_NAME


@dataclass(frozen=True, slots=True)
class MetaModel:
    """A causal language model on the meta device.

    Attributes:
        module: takes `(input_ids, position_ids)` by keyword; all its tensors are on meta.
        buffers: values of the buffers that no checkpoint holds (rope frequencies, embedding scales), by name.
    """

    module: nn.Module
    buffers: Mapping[str, torch.Tensor]


def build_meta_model(config: PretrainedConfig, dtype: torch.dtype, max_context: int) -> MetaModel:
    """Build the model that `config` describes, of parameters of type `dtype`.

    Args:
        config: of a causal language model that transformers knows.
        dtype: type of the parameters.
        max_context: tokens a sequence may reach. Rope types that change with the length of the sequence
            (`dynamic`, `longrope`) are fixed to the frequencies of this length: cached keys cannot be
            rotated again when a sequence grows.

    Raises:
        CaptureError: transformers has no causal model for this config.
    """
    try:
        with _parameters_on_meta():
            # A copy, since transformers notes the attention's name in it.
            module = AutoModelForCausalLM.from_config(
                copy.deepcopy(config), attn_implementation=INTERFACE_NAME, dtype=dtype
            ).eval()
    except (
        Exception
    ) as error:  # a config may be wrong in any way, and fail anywhere in the model's own code
        raise CaptureError(
            f"cannot build a model of type '{config.model_type}': {_reason(error)}"
        ) from error
    _fix_rope(module, max_context)
    buffers = {name: buffer.detach().clone() for name, buffer in _computed_buffers(module)}
    return MetaModel(module.to("meta"), buffers)


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError) and error.args == (INTERFACE_NAME,):
        return (
            "its code in transformers computes attention itself, where octavo expects a call of "
            "transformers' attention interface. Use a model of another architecture."
        )
    message = str(error).partition("\n")[0]  # the rest lists every model there is
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return f"{kind}{message} Expected a causal language model that transformers knows."


@contextlib.contextmanager
def _parameters_on_meta() -> Iterator[None]:
    """Move each parameter to meta as a module takes it, so that only buffers are ever filled."""
    original = nn.Module.register_parameter

    def register(module: nn.Module, name: str, param: nn.Parameter | None) -> None:
        # A parameter on meta already is a tied one: it must stay the same object.
        if param is not None and param.device.type != "meta":
            param = nn.Parameter(param.to("meta"), requires_grad=False)
        original(module, name, param)

    nn.Module.register_parameter = register  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        nn.Module.register_parameter = original  # type: ignore[method-assign]


def _computed_buffers(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for prefix, child in module.named_modules():
        for name in child._non_persistent_buffers_set:
            buffer = child._buffers.get(name)
            if buffer is not None:
                yield f"{prefix}.{name}" if prefix else name, buffer


def _fix_rope(model: nn.Module, max_context: int) -> None:
    for module in model.modules():
        rope_type = getattr(module, "rope_type", None)
        if isinstance(rope_type, str):
            module.__dict__["rope_type"] = _fix_frequencies(module, rope_type, None, max_context)
        elif isinstance(rope_type, dict):
            for layer_type, kind in rope_type.items():
                rope_type[layer_type] = _fix_frequencies(module, kind, layer_type, max_context)


def _fix_frequencies(module: nn.Module, kind: str, layer_type: str | None, max_context: int) -> str:
    """Recompute the frequencies of a length-dependent rope for `max_context`; return its new type."""
    if not ("dynamic" in kind or kind == "longrope"):
        return kind
    config = module.config
    inv_freq, _ = ROPE_INIT_FUNCTIONS[kind](
        config, torch.device("cpu"), seq_len=max_context, layer_type=layer_type
    )
    name = "inv_freq" if layer_type is None else f"{layer_type}_inv_freq"
    getattr(module, name).copy_(inv_freq)
    return "default"
