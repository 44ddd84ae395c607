"""What goes through torch-mlir computes what torch computes."""

import torch


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
