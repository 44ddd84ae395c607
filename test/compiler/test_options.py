"""Compile options are checked where they are made, and the message names the option."""

import numpy as np
import pytest

from octavo.compiler.options import CompileOptions
from octavo.config import Bucket


def test_defaults_are_valid() -> None:
    options = CompileOptions()
    assert options.targets == ("cpu:native",)
    assert any(bucket.num_tokens == 1 for bucket in options.buckets), "decode needs a bucket"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("targets", ()),
        ("targets", "cpu:native"),
        ("level", "O9"),
        ("dtype", "f8"),
        ("targets", [1]),
        ("targets", ("vulkan", "vulkan")),
        ("level", ["O1"]),
        ("dtype", None),
        ("block_size", 0),
        ("block_size", 16.0),
        ("block_size", "16"),
        ("block_size", True),
        ("max_context", "99"),
        ("max_context", 1.5),
        ("buckets", Bucket(1, 1)),
        ("buckets", [(1, 1)]),
        ("buckets", [Bucket(0, 1)]),
        ("buckets", [Bucket(1, "16")]),
        ("buckets", [Bucket(1, 1), Bucket(1, 1)]),
        ("max_context", 0),
        ("max_context", -5),
        ("buckets", ()),
    ],
)
def test_a_wrong_value_is_named(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"option {field}:.* expected .*, got "):
        CompileOptions(**{field: value})


def test_numpy_s_integers_and_lists_are_taken() -> None:
    given = CompileOptions(
        targets=["vulkan"], block_size=np.int64(16), buckets=[Bucket(np.int32(1), np.int32(4))]
    )
    assert given == CompileOptions(targets=("vulkan",), block_size=16, buckets=(Bucket(1, 4),))
    assert type(given.block_size) is type(given.buckets[0].batch) is int


def test_options_hash_and_compare() -> None:
    assert hash(CompileOptions()) == hash(CompileOptions())
    assert CompileOptions(level="O0") != CompileOptions(level="O1")
