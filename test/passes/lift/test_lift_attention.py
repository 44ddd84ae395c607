"""Lifted attention attends as torch does."""

from typing import Any

import pytest
import torch
from torch.nn import functional


def attend(*inputs: torch.Tensor, **options: Any) -> torch.Tensor:
    return functional.scaled_dot_product_attention(*inputs, **options)


def qkv(b: int, t: int) -> list[torch.Tensor]:
    return [torch.randn(b, heads, t, 10) for heads in (4, 2, 2)]


@pytest.mark.parametrize(
    "options", [{"is_causal": True}, {}, {"is_causal": True, "scale": 0.7}], ids=str
)
def test_grouped_heads(options, check_lift) -> None:
    check_lift(
        lambda q, k, v: attend(q, k, v, enable_gqa=True, **options), qkv, {"lift-attention": 1}
    )


def test_a_mask_of_booleans_and_one_that_is_added(check_lift) -> None:
    def masked(b: int, t: int) -> list[torch.Tensor]:
        q = torch.randn(b, 4, t, 10)
        seen = torch.rand(b, 1, t, t) < 0.5
        return [q, q.clone(), q.clone(), seen | torch.eye(t, dtype=torch.bool)]

    def biased(b: int, t: int) -> list[torch.Tensor]:
        return [*masked(b, t)[:3], torch.randn(1, 4, t, t)]

    for make in (masked, biased):
        check_lift(
            lambda q, k, v, mask: attend(q, k, v, attn_mask=mask), make, {"lift-attention": 1}
        )


def test_more_keys_than_queries(check_lift) -> None:
    def crossed(b: int, t: int) -> list[torch.Tensor]:
        return [torch.randn(b, 4, tokens, 10) for tokens in (t, 13, 13)]

    check_lift(attend, crossed, {"lift-attention": 1})


def test_a_mask_for_all_rows_and_heads(check_lift) -> None:
    """Its axes of tokens alone, as authors write it, or with heads and no batch."""

    def masked(b: int, t: int) -> list[torch.Tensor]:
        return [*(torch.randn(b, 4, t, 10) for _ in range(3)), torch.randn(t, t)]

    def by_head(b: int, t: int) -> list[torch.Tensor]:
        return [*masked(b, t)[:3], torch.randn(4, t, t)]

    for make in (masked, by_head):
        check_lift(
            lambda q, k, v, mask: attend(q, k, v, attn_mask=mask), make, {"lift-attention": 1}
        )
