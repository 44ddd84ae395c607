"""torch.export of a module: a program without side effects, or the reason and the line that stop it."""

import sysconfig
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from octavo.errors import CaptureError

_NOT_THE_MODEL = (Path(torch.__file__).parent, Path(__file__).parent)
_LIBRARY = Path(sysconfig.get_path("stdlib"))
_ADVICE = (
    "The module must be free of control flow that depends on tensor values, and each example input "
    "dimension that varies must be declared in dynamic_shapes."
)
_ADVICE_FOR_LM = (
    "Its code must work for any number of rows and tokens, and keep no state between calls but the keys and "
    "values of its attention. Use a model of another architecture, or rewrite the module and give it to "
    "octavo.capture."
)


class TokensToLogits(nn.Module):
    """The stateless causal model: `[b, t]` tokens and positions in, `[b, t, vocab]` logits out."""

    def __init__(self, model: nn.Module) -> None:
        """Wrap a Hugging Face causal model."""
        super().__init__()
        self.model = model

    def forward(self, tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Run the model without a cache of its own."""
        output = self.model(input_ids=tokens, position_ids=positions, use_cache=False)
        logits: torch.Tensor = output.logits
        return logits


def export_program(
    model: nn.Module, example_inputs: Sequence[torch.Tensor], dynamic_shapes: Any
) -> torch.export.ExportedProgram:
    """Export `model`; operations that write into a tensor become ones that make a new one.

    Raises:
        CaptureError: torch cannot export it, or it changes a buffer or an input.
    """
    examples = tuple(each.contiguous() for each in example_inputs)
    try:
        program = torch.export.export(model, examples, dynamic_shapes=dynamic_shapes, strict=False)
        if any(_writes(node) for node in program.graph.nodes):
            program = _without_writes(program)
    except CaptureError:
        raise
    except Exception as error:  # the model's own code may fail in any way
        advice = _ADVICE_FOR_LM if isinstance(model, TokensToLogits) else _ADVICE
        raise CaptureError(
            f"{model_name(model)} cannot be exported: {_reason(error)}\n{advice}"
        ) from error
    signature = program.graph_signature
    changed = [*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values()]
    if changed:
        raise CaptureError(
            f"{model_name(model)} changes '{changed[0]}' while it runs: expected a module whose result "
            "depends on its inputs alone. Return the new value, or do not keep it."
        )
    return program


def model_name(model: nn.Module) -> str:
    """The class of a module, or of the Hugging Face model in it."""
    return type(model.model if isinstance(model, TokensToLogits) else model).__name__


def first_lines(error: Exception, count: int = 4) -> str:
    """The first lines of an error's message."""
    return "\n".join(str(error).strip().splitlines()[:count])


def _without_writes(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch's own, about torch
        program = program.run_decompositions({})
    for node in list(program.graph.nodes):
        if node.target is torch.ops.aten._assert_tensor_metadata.default:
            program.graph.erase_node(node)
        # The spelling that a model without writes has, which is the one that patterns look for.
        if node.target is torch.ops.aten._to_copy.default and set(node.kwargs) == {"dtype"}:
            node.target, node.args, node.kwargs = (
                torch.ops.aten.to.dtype,
                (node.args[0], node.kwargs["dtype"]),
                {},
            )
    return program


def _writes(node: torch.fx.Node) -> bool:
    """Whether an operation writes into one of its operands."""
    schema = getattr(node.target, "_schema", None)
    return schema is not None and bool(schema.is_mutable)


def _reason(error: Exception) -> str:
    """What went wrong and, when the model's own code raised it, where."""
    message = first_lines(error)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_the_models(Path(frame.filename))]
    if not own:
        return message
    return f'{type(error).__name__}: {message} at "{own[-1].filename}":{own[-1].lineno}'


def _is_the_models(file: Path) -> bool:
    is_library = file.is_relative_to(_LIBRARY) and "site-packages" not in file.parts
    return not is_library and not any(file.is_relative_to(each) for each in _NOT_THE_MODEL)
