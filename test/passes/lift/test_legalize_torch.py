"""What goes through torch-mlir computes what torch computes."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import Dim

from octavo.compiler.pipeline import StepShape, optimize_calls
from octavo.config import Bucket
from octavo.errors import PassError
from octavo.frontend.export import capture
from octavo.passes.runner import run_pipeline


def one(b: int, t: int) -> list[torch.Tensor]:
    return [torch.randn(b, t, 24)]


def test_operations_without_a_lifting(check_lift) -> None:
    check_lift(lambda x: torch.softmax(x.erf(), dim=-1), one, {}, left=2)
    check_lift(lambda x: x.exp().sum(dim=1, keepdim=True), one, {}, left=2)


def test_between_operations_that_lift(check_lift) -> None:
    check_lift(
        lambda x: torch.nn.functional.silu((x * 2.0).abs().view(x.shape[0], -1, 4, 6)),
        one,
        {"lift-elementwise": 1, "lift-activation": 1, "lift-shape": 0},
        left=3,
    )


class Mixing(nn.Module):
    """A causal model with a state that no cache of keys and values can hold."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(61, 24)

    def forward(self, tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        x = x.cumsum(dim=1)
        return nn.functional.linear(x.erf(), self.embed.weight)


@pytest.mark.parametrize("level", ["O0", "O1", "O2"])
def test_a_causal_model_is_refused_with_the_operation_and_its_line(level) -> None:
    tokens = torch.zeros(2, 4, dtype=torch.int32)
    shape = {0: Dim("b", min=1), 1: Dim("t", min=1)}
    captured = capture(Mixing().eval(), (tokens, tokens), (shape, shape))
    with pytest.raises(PassError) as caught:
        run_pipeline(captured.module, optimize_calls(level, StepShape(4, (Bucket(2, 1),))))
    message = str(caught.value)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    for name, code in (("cumsum", "x.cumsum("), ("erf", "linear(x.erf()")):
        number = 1 + next(index for index, line in enumerate(lines) if code in line)
        assert f"'torch.aten.{name}' at \"{__file__}\":{number}:" in message
    assert "no lifting for 2 operations of this model" in message
    assert "add a 'lift-' pass" in message
