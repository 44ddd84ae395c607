"""Sizes and names that follow from a configuration."""

import pytest

from octavo.config import Bucket, KVLayer, KVLayout


@pytest.mark.parametrize(("dtype", "nbytes"), [("f32", 4), ("bf16", 2), ("f16", 2), ("i8", 1)])
def test_a_block_holds_keys_and_values_of_all_layers(dtype: str, nbytes: int) -> None:
    layout = KVLayout((KVLayer(3, 64), KVLayer(1, 20)), block_size=16, dtype=dtype)
    assert layout.block_nbytes == 2 * (3 * 64 + 20) * 16 * nbytes


def test_an_entry_point_is_named_for_its_bucket() -> None:
    assert Bucket(8, 1).entry_point == "step_b8_t1"


def test_buckets_are_ordered_by_rows_first() -> None:
    assert sorted([Bucket(4, 1), Bucket(1, 128), Bucket(1, 1)]) == [
        Bucket(1, 1),
        Bucket(1, 128),
        Bucket(4, 1),
    ]
