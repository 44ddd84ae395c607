"""Lifted activations are torch's."""

import math

import pytest
import torch
from torch import nn
from transformers.activations import NewGELUActivation

ACTIVATIONS = [
    nn.SiLU(),
    nn.GELU(),
    nn.GELU(approximate="tanh"),
    NewGELUActivation(),
    nn.ReLU(),
    nn.Sigmoid(),
    nn.Tanh(),
]


def wide(b: int, t: int) -> list[torch.Tensor]:
    return [4 * torch.randn(b, t, 24)]


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=str)
def test_an_activation(activation, check_lift) -> None:
    check_lift(activation, wide, {"lift-activation": 1})


@pytest.mark.parametrize("cap", [2.0, 30.0])
def test_a_softcap(cap, check_lift) -> None:
    check_lift(lambda x: torch.tanh(x / cap) * cap, wide, {"lift-activation": 1})


def test_what_is_almost_gelu_keeps_its_own_constants(check_lift) -> None:
    def almost(x: torch.Tensor) -> torch.Tensor:
        inner = math.sqrt(2 / math.pi) * (x + 0.05 * (x * x))
        return 0.5 * x * (1.0 + torch.tanh(inner))

    check_lift(almost, wide, {"lift-activation": 1}, left=1)  # tanh, and the sum with 1
