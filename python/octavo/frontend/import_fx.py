"""An exported program as a module of the torch dialect, with weights as names."""

from collections.abc import Callable
from typing import Any

import torch
from torch_mlir.extras.fx_importer import FxImporter, FxImporterHooks, InputInfo

from octavo.dialects.llm import WeightOp
from octavo.mlir import ir


class _NamedWeights(FxImporterHooks):
    """Turns parameters and buffers into `llm.weight` operations."""

    def __init__(self, key_of: Callable[[str, torch.Tensor], str | None]) -> None:
        self._key_of = key_of

    def resolve_input(self, gni: Any, value: Any, info: InputInfo) -> ir.Value | None:
        if not isinstance(value, torch.Tensor) or info.input_spec.target is None:
            return None
        key = self._key_of(info.input_spec.target, value)
        if key is None:
            return None
        element = _element_type(value.dtype)
        weight = WeightOp(
            ir.RankedTensorType.get(list(value.shape), element), key=ir.StringAttr.get(key)
        )
        cast = ir.Operation.create(
            "torch_c.from_builtin_tensor", results=[info.ir_type], operands=[weight.out]
        )
        result: ir.Value = cast.result
        return result


def import_program(
    program: torch.export.ExportedProgram,
    context: ir.Context,
    key_of: Callable[[str, torch.Tensor], str | None],
) -> ir.Module:
    """Import `program` as the function `main`.

    Args:
        program: changed by the importer; not to be used again.
        context: from `create_context`.
        key_of: names the archive entry of a parameter or buffer, given its name in the program; None lets it
            enter the IR as a literal, which only a constant of a few values should.
    """
    with context, ir.Location.unknown():
        importer = FxImporter(context=context, hooks=_NamedWeights(key_of))
        importer.import_program(program, func_name="main")
        return importer.module


def _element_type(dtype: torch.dtype) -> ir.Type:
    builders: dict[torch.dtype, Callable[[], ir.Type]] = {
        torch.float32: ir.F32Type.get,
        torch.float16: ir.F16Type.get,
        torch.bfloat16: ir.BF16Type.get,
        torch.float64: ir.F64Type.get,
        torch.int32: lambda: ir.IntegerType.get_signless(32),
        torch.int64: lambda: ir.IntegerType.get_signless(64),
        torch.bool: lambda: ir.IntegerType.get_signless(1),
    }
    return builders[dtype]()
