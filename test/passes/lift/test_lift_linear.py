"""Lifted products and lookups are torch's."""

import pytest
import torch
from torch import nn
from transformers.pytorch_utils import Conv1D


def tokens_of(dtype: torch.dtype):
    return lambda b, t: [torch.randint(0, 31, (b, t), dtype=dtype)]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_linear_layer(bias, dtype, check_lift) -> None:
    layer = nn.Linear(24, 10, bias=bias, dtype=dtype)
    check_lift(layer, lambda b, t: [torch.randn(b, t, 24).to(dtype)], {"lift-linear": 1})


def test_a_conv1d_of_gpt2(check_lift) -> None:
    layer = Conv1D(10, 24)
    nn.init.normal_(layer.bias)
    check_lift(layer, lambda b, t: [torch.randn(b, t, 24)], {"lift-linear": 1})


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_a_lookup(dtype, check_lift) -> None:
    check_lift(nn.Embedding(31, 10, padding_idx=0), tokens_of(dtype), {"lift-linear": 1})
