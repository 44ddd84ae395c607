"""Export: what writes is rewritten, and what cannot be exported says where and why."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import Dim

from octavo.errors import CaptureError
from octavo.frontend.export import capture_config
from octavo.frontend.export_program import export_program


class Writing(nn.Module):
    """In-place operations on tensors of its own."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.to(torch.float32) * 2
        y += x
        y[..., :3] = 0.0
        return y.clamp_(min=-1.0)


class Failing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.absent


class Overwriting(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mul_(2.0)


def test_operations_that_write_make_new_tensors() -> None:
    x = torch.randn(2, 8, dtype=torch.float16)
    program = export_program(Writing(), [x], ({0: Dim("rows", min=1)},))
    names = [str(node.target) for node in program.graph.nodes]
    assert not [name for name in names if "_." in name]
    assert "aten._to_copy.default" not in names
    other = torch.randn(5, 8, dtype=torch.float16)
    assert torch.equal(program.module()(other), Writing()(other.clone()))


def test_an_input_that_changes_is_refused() -> None:
    with pytest.raises(CaptureError, match=r"Overwriting changes 'x' while it runs: expected"):
        export_program(Overwriting(), [torch.randn(2, 8)], None)


def test_an_error_of_the_models_code_says_its_line() -> None:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    number = 1 + next(index for index, line in enumerate(lines) if "self.absent" in line)
    with pytest.raises(CaptureError, match="AttributeError: 'Failing' object") as caught:
        export_program(Failing(), [torch.randn(2, 8)], None)
    assert f'at "{__file__}":{number}' in str(caught.value)


def test_a_model_with_another_state_than_keys_and_values() -> None:
    from transformers import RwkvConfig

    config = RwkvConfig(vocab_size=61, hidden_size=48, num_hidden_layers=2, context_length=64)
    with pytest.raises(CaptureError) as caught:
        capture_config(config, torch.float32, 64)
    message = str(caught.value)
    assert message.startswith("RwkvForCausalLM cannot be exported: ")
    assert "keep no state between calls but the keys and values of its attention" in message
    assert "Use a model of another architecture" in message
