"""Lifted sums, products, scalings and casts are torch's."""

import pytest
import torch


def two(b: int, t: int) -> list[torch.Tensor]:
    return [torch.randn(b, t, 24), torch.randn(b, t, 24)]


def test_two_tensors(check_lift) -> None:
    check_lift(lambda x, y: (x + y) * x - y, two, {"lift-elementwise": 3})


@pytest.mark.parametrize("factor", [3, -0.37, torch.tensor(1.7)], ids=str)
def test_numbers(factor, check_lift) -> None:
    check_lift(lambda x, y: x * factor + factor * (y / 7), two, {"lift-elementwise": 4})


def test_casts(check_lift) -> None:
    def rounded(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x.to(torch.bfloat16).float() + y.to(torch.float16).type_as(x)

    check_lift(rounded, two, {"lift-elementwise": 5})


def test_what_is_not_of_one_shape_goes_through_torch_mlir(check_lift) -> None:
    check_lift(lambda x, y: torch.add(x, y, alpha=3), two, {"lift-elementwise": 0}, left=1)
    check_lift(lambda x, y: x[:, :, :1] + y, two, {"lift-elementwise": 0}, left=1)
    check_lift(lambda x, y: x.to(torch.int32) + y, two, {"lift-elementwise": 0}, left=2)


def test_squares(check_lift) -> None:
    check_lift(lambda x, y: x.square() + y**2, two, {"lift-elementwise": 3})
    check_lift(
        lambda x, y: x + y**1.5,
        lambda b, t: [torch.rand(b, t, 24)] * 2,
        {"lift-elementwise": 1},
        left=1,
    )
