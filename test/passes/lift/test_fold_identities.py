"""What fold-identities drops was an identity."""

import torch
from torch.nn import functional


def test_a_model_full_of_identities(check_lift) -> None:
    def wrapped(x: torch.Tensor) -> torch.Tensor:
        y = functional.dropout(x.to(torch.float32).contiguous(), 0.5, training=False)
        y = torch.cat([y, y[..., 24:]], dim=-1)[:, :, :].view(x.shape[0], -1, 24)
        return y * 1.0 * 2.0

    make = lambda b, t: [torch.randn(b, t, 24)]  # noqa: E731
    check_lift(wrapped, make, {"lift-elementwise": 1, "lift-shape": 0})


def test_a_view_of_the_same_type_that_moves_rows_is_kept(check_lift) -> None:
    def exchanged(x: torch.Tensor) -> torch.Tensor:
        return x.transpose(0, 1).reshape(x.shape[0], x.shape[1], 24) * 2.0

    make = lambda b, t: [torch.randn(b, t, 24)]  # noqa: E731
    check_lift(exchanged, make, {"lift-elementwise": 1}, left=3)
