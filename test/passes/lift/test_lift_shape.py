"""Lifted views, transposes and parts move what torch moves."""

import torch


def one(b: int, t: int) -> list[torch.Tensor]:
    return [torch.randn(b, t, 24)]


def test_heads_split_and_merged(check_lift) -> None:
    check_lift(
        lambda x: x.view(x.shape[0], x.shape[1], -1, 6).transpose(1, 2).permute(0, 2, 3, 1) * 2.0,
        one,
        {"lift-shape": 3},
    )
    check_lift(lambda x: x.unsqueeze(2).reshape(x.shape[0], -1, 24) * 2.0, one, {"lift-shape": 2})


def test_rows_merged(check_lift) -> None:
    check_lift(lambda x: x.reshape(-1, 24) * 2.0, one, {"lift-shape": 1})


def test_the_open_size_takes_what_the_named_one_leaves(check_lift) -> None:
    check_lift(lambda x: x.view(x.shape[0], -1) * 2.0, one, {"lift-shape": 1})


def test_parts(check_lift) -> None:
    check_lift(lambda x: x[..., 4:10] * x[:, :, -6:], one, {"lift-shape": 2})
    check_lift(lambda x: torch.mul(*x.chunk(2, dim=-1)), one, {"lift-shape": 1})
    check_lift(lambda x: torch.mul(*x.split([4, 4, 16], dim=-1)[:2]), one, {"lift-shape": 1})


def test_a_view_that_exchanges_rows_is_left_to_torch_mlir(check_lift) -> None:
    check_lift(
        lambda x: x.transpose(0, 1).reshape(x.shape[0], x.shape[1], 24) * 2.0, one, {}, left=3
    )
    check_lift(
        lambda x: x.transpose(0, 1).reshape(x.shape[0], x.shape[1], 4, 6) * 2.0, one, {}, left=3
    )
