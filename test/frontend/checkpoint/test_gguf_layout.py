"""Layouts: each undoes the converter, on small tensors where the right answer can be seen."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from octavo.frontend.checkpoint.gguf_layout import (
    interleave_heads,
    subtract_one,
    transpose,
    unpermute_keys,
    unpermute_queries,
)

CONFIG: Any = SimpleNamespace(num_attention_heads=2, num_key_value_heads=1)


def test_rotated_pairs_become_halves() -> None:
    # Two heads of four rows: (0, 2) and (1, 3) are rotated together, and beside each other in the file.
    stored = torch.tensor([0, 2, 1, 3, 10, 12, 11, 13])
    assert unpermute_queries(stored, CONFIG).tolist() == [0, 1, 2, 3, 10, 11, 12, 13]
    rows = torch.stack([stored, stored + 100], dim=1)
    assert unpermute_queries(rows, CONFIG)[:, 1].tolist() == [
        *(100, 101, 102, 103),
        *(110, 111, 112, 113),
    ]
    # As one head of eight: halves of four.
    pairs = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7])
    assert unpermute_keys(pairs, CONFIG).tolist() == list(range(8))


def test_queries_keys_and_values_go_to_their_heads() -> None:
    # Two heads of two rows, first all of q, then k, then v.
    stored = torch.tensor([0, 1, 100, 101, 10, 11, 110, 111, 20, 21, 120, 121])
    expected = [0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121]
    assert interleave_heads(stored, CONFIG).tolist() == expected
    assert interleave_heads(stored[:, None], CONFIG).shape == (12, 1)


def test_norms_are_exact_near_one() -> None:
    stored = torch.tensor([1.0078125, 0.5, 1.0], dtype=torch.bfloat16)
    found = subtract_one(stored, CONFIG)
    assert found.dtype == torch.float32
    assert found.tolist() == [0.0078125, -0.5, 0.0]


def test_transposed_is_contiguous() -> None:
    found = transpose(torch.arange(6).reshape(2, 3), CONFIG)
    assert found.is_contiguous()
    assert found.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("layout", [unpermute_queries, interleave_heads])
def test_rows_that_no_head_divides(layout: Any) -> None:
    with pytest.raises(RuntimeError):
        layout(torch.empty(7, 2, device="meta"), CONFIG)
