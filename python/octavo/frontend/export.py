"""Capture: a PyTorch module, as its author wrote it, as a module of the torch dialect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import PretrainedConfig

from octavo.dialects import create_context
from octavo.errors import CaptureError
from octavo.frontend.export_program import (
    TokensToLogits,
    export_program,
    first_lines,
    model_name,
)
from octavo.frontend.import_fx import import_program
from octavo.frontend.meta_model import MetaModel, build_meta_model
from octavo.mlir import ir

_LITERAL_MAX_VALUES = 1  # a scalar is a constant of the program; anything larger is a weight


@dataclass(frozen=True, slots=True)
class WeightSource:
    """A tensor that the program names.

    Attributes:
        names: every name the tensor has in the model; more than one for tied weights.
        shape: its shape.
        dtype: its element type in the program.
        value: the tensor, or None for a parameter on the meta device.
    """

    names: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: torch.dtype
    value: torch.Tensor | None


@dataclass(frozen=True, slots=True)
class Captured:
    """A captured program: the torch-dialect module, and the weights it names, by key."""

    module: ir.Module
    weights: Mapping[str, WeightSource]


def capture(
    model: nn.Module,
    example_inputs: Sequence[torch.Tensor],
    dynamic_shapes: Any = None,
    *,
    buffers: Mapping[str, torch.Tensor] | None = None,
    prefix: str = "",
) -> Captured:
    """Capture any exportable module as the function `main` of its positional inputs.

    Args:
        model: in evaluation mode; its parameters may be on the meta device.
        example_inputs: tensors of the types and ranks of the inputs; their strides do not matter.
        dynamic_shapes: as `torch.export.export` takes it. A dimension that is 1 in the example is fixed
            unless it is declared with `min=1`.
        buffers: values of buffers that are on the meta device, by name.
        prefix: what to cut from the front of the weights' names.

    Raises:
        CaptureError: the module cannot be exported or imported, with the reason.
    """
    program = export_program(model, example_inputs, dynamic_shapes)
    names = _names_by_identity(model)
    known = {prefix + name: value for name, value in (buffers or {}).items()}
    weights: dict[str, WeightSource] = {}

    def key_of(target: str, value: torch.Tensor) -> str | None:
        found = names.get(_identity(model, target), (target,))
        all_names = tuple(name.removeprefix(prefix) for name in found)
        real = known.get(target, value)
        if real.numel() <= _LITERAL_MAX_VALUES and real.device.type != "meta":
            return None
        weights[all_names[0]] = WeightSource(
            all_names, tuple(value.shape), value.dtype, None if real.device.type == "meta" else real
        )
        return all_names[0]

    _fill_constants(program, known)
    try:
        module = import_program(program, create_context(), key_of)
        module.operation.verify()  # the importer lets in-place operations through
    except Exception as error:
        raise CaptureError(
            f"{model_name(model)} cannot be imported into the torch dialect: {first_lines(error)}"
        ) from error
    return Captured(module, weights)


def capture_config(config: PretrainedConfig, dtype: torch.dtype, max_context: int) -> Captured:
    """Capture the Hugging Face causal model of `config`, without weights.

    The function takes tokens and positions, both `[b, t]` i32 with both sizes dynamic, and returns the logits
    `[b, t, vocab]`. Weight names are those of the checkpoint.

    Raises:
        CaptureError: transformers does not know the model, or it cannot be exported.
    """
    return capture_model(build_meta_model(config, dtype, max_context))


def capture_model(model: MetaModel) -> Captured:
    """Capture a model built by `build_meta_model`; see `capture_config`."""
    wrapper = TokensToLogits(model.module).eval()
    batch = torch.export.Dim("batch", min=1, max=1 << 16)
    tokens = torch.export.Dim("tokens", min=1, max=1 << 24)
    example = torch.zeros(2, 8, dtype=torch.int32, device="meta")
    shape = {0: batch, 1: tokens}
    return capture(
        wrapper,
        (example, example.clone()),
        {"tokens": shape, "positions": shape},
        buffers=model.buffers,
        prefix="model.",
    )


def _names_by_identity(model: nn.Module) -> dict[int, tuple[str, ...]]:
    names: dict[int, tuple[str, ...]] = {}
    for name, tensor in model.named_parameters(remove_duplicate=False):
        names[id(tensor)] = (*names.get(id(tensor), ()), name)
    return names


def _identity(model: nn.Module, target: str) -> int:
    owner, _, name = target.rpartition(".")
    return id(getattr(model.get_submodule(owner), name))


def _fill_constants(
    program: torch.export.ExportedProgram, buffers: Mapping[str, torch.Tensor]
) -> None:
    """Put the values of computed scalars where the importer reads literals."""
    for name, value in buffers.items():
        for table in (program.state_dict, program.constants):
            if name in table:
                table[name] = value
