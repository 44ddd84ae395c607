"""Exported programs as modules: parameters become names, values stay out."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from octavo.dialects import create_context
from octavo.frontend.import_fx import import_program
from octavo.mlir import ir
from octavo.passes.rewriter import walk


class Holder(nn.Module):
    """Adds one tensor to its input, in f32."""

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("held", tensor)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.held.to(torch.float32)


def imported(tensor: torch.Tensor, key_of: Callable[[str, torch.Tensor], str | None]) -> ir.Module:
    program = torch.export.export(Holder(tensor), (torch.zeros(3),))
    return import_program(program, create_context(), key_of)


def weights(module: ir.Module) -> list[ir.Operation]:
    return [op for op in walk(module.operation) if op.name == "llm.weight"]


@pytest.mark.parametrize(
    ("dtype", "element"),
    [
        (torch.float32, "f32"),
        (torch.float16, "f16"),
        (torch.bfloat16, "bf16"),
        (torch.float64, "f64"),
        (torch.int32, "i32"),
        (torch.int64, "i64"),
        (torch.bool, "i1"),
    ],
)
def test_a_tensor_becomes_a_weight_of_its_type(dtype, element) -> None:
    module = imported(torch.zeros(3, dtype=dtype), lambda target, value: f"key of {target}")
    assert module.operation.verify()
    [weight] = weights(module)
    assert weight.attributes["key"] == ir.StringAttr.get("key of held", module.context)
    assert str(weight.results[0].type) == f"tensor<3x{element}>"
    assert "literal" not in str(module)


def test_a_tensor_without_a_key_is_a_literal() -> None:
    module = imported(torch.tensor([2.5]), lambda target, value: None)
    assert not weights(module)
    assert "dense<2.500000e+00>" in str(module)


def test_the_key_is_asked_for_with_the_tensor() -> None:
    asked = []
    tensor = torch.tensor([1.0, 2.0, 3.0])

    def key_of(target: str, value: torch.Tensor) -> str:
        asked.append((target, value))
        return "key"

    imported(tensor, key_of)
    assert [target for target, _ in asked] == ["held"]
    assert all(value is tensor for _, value in asked)


def test_operations_keep_their_line_in_the_source() -> None:
    module = imported(torch.zeros(3), lambda target, value: "key")
    [add] = [op for op in walk(module.operation) if op.name == "torch.aten.add.Tensor"]
    assert __file__ in str(add.location)
