"""Lifted rotations are the rotations that torch computes."""

import pytest
import torch
from torch import nn

HEAD_DIM = 12


def turned(x: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


class Rotation(nn.Module):
    """Rotates the first `2r` values of each head; heads stand before or after the tokens."""

    def __init__(self, r: int, heads_axis: int, scaling: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("inv_freq", 50.0 ** -(torch.arange(r) / r))
        self.heads_axis = heads_axis
        self.scaling = scaling

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        angles = positions[:, :, None].float() * self.inv_freq
        table = torch.cat((angles, angles), dim=-1)
        cos = (table.cos() * self.scaling).to(x.dtype).unsqueeze(self.heads_axis)
        sin = (table.sin() * self.scaling).to(x.dtype).unsqueeze(self.heads_axis)
        part = x[..., : table.shape[-1]]
        return torch.cat((part * cos + turned(part) * sin, x[..., table.shape[-1] :]), dim=-1)


@pytest.mark.parametrize("r", [6, 2])
@pytest.mark.parametrize("heads_axis", [1, 2])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_rotations(r, heads_axis, dtype, check_lift) -> None:
    def make(b: int, t: int) -> list[torch.Tensor]:
        shape = (b, 4, t, HEAD_DIM) if heads_axis == 1 else (b, t, 4, HEAD_DIM)
        return [torch.randn(shape), torch.randint(0, 200, (b, t), dtype=dtype)]

    check_lift(Rotation(r, heads_axis, scaling=1.25), make, {"lift-rope": 1})


def test_a_wide_table_widens_a_narrow_tensor(check_lift) -> None:
    class Wide(Rotation):
        def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
            angles = positions.unsqueeze(2).float() * self.inv_freq
            table = torch.cat((angles, angles), dim=-1).unsqueeze(2)
            return (x * table.cos() + turned(x) * table.sin()).to(x.dtype)

    def make(b: int, t: int) -> list[torch.Tensor]:
        positions = torch.randint(0, 200, (b, t), dtype=torch.int32)
        return [torch.randn(b, t, 4, HEAD_DIM).to(torch.bfloat16), positions]

    check_lift(Wide(HEAD_DIM // 2, 2), make, {"lift-rope": 1})
