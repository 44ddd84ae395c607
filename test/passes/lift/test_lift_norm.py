"""Lifted norms compute what torch computes, however the author wrote them."""

import pytest
import torch
from torch import nn


class Norm(nn.Module):
    """An RMS norm as transformers writes it: for Llama, or with an offset for Gemma."""

    def __init__(self, dtype: torch.dtype, offset: float | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter((1 + 0.3 * torch.randn(24)).to(dtype))
        self.offset = offset

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.to(torch.float32)
        normal = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-2)
        if self.offset is None:
            return self.weight * normal.to(x.dtype)
        return (normal * (self.offset + self.weight.float())).type_as(x)


class Squared(nn.Module):
    """An RMS norm as people write it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(24))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.rsqrt((x * x).mean(dim=2, keepdim=True) + 1e-2) * x * self.weight


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("offset", [None, 1.0, -0.5])
def test_transformers_norms(dtype, offset, check_lift) -> None:
    norm = Norm(dtype, offset)
    check_lift(norm, lambda b, t: [torch.randn(b, t, 24).to(dtype)], {"lift-norm": 1})


def test_a_norm_of_products(check_lift) -> None:
    check_lift(Squared(), lambda b, t: [torch.randn(b, t, 24)], {"lift-norm": 1})


@pytest.mark.parametrize(
    "norm",
    [
        nn.RMSNorm(24, eps=1e-2),
        nn.RMSNorm(24),
        nn.LayerNorm(24, eps=1e-2),
        nn.LayerNorm(24, bias=False),
        nn.LayerNorm(24, elementwise_affine=False),
    ],
    ids=str,
)
def test_torchs_own_norms(norm, check_lift) -> None:
    for parameter in norm.parameters():
        nn.init.normal_(parameter)
    check_lift(norm, lambda b, t: [torch.randn(b, t, 24)], {"lift-norm": 1})


class Doubled(nn.Module):
    """Not a norm: eps counts a hundred times."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(24))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shifted = torch.add((x * x).mean(-1, keepdim=True), 1e-2, alpha=100)
        return x * torch.rsqrt(shifted) * self.weight


def test_what_is_almost_a_norm_goes_through_torch_mlir(check_lift) -> None:
    make = lambda b, t: [torch.randn(b, t, 24)]  # noqa: E731
    check_lift(Doubled(), make, {"lift-norm": 0}, left=5)
