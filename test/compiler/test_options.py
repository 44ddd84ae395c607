"""Compile options are checked where they are made, and the message names the option."""

import pytest

from octavo.compiler.options import CompileOptions


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
        ("block_size", 0),
        ("max_context", 0),
        ("max_context", -5),
        ("buckets", ()),
    ],
)
def test_a_wrong_value_is_named(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"option {field}: expected .*, got "):
        CompileOptions(**{field: value})


def test_options_hash_and_compare() -> None:
    assert hash(CompileOptions()) == hash(CompileOptions())
    assert CompileOptions(level="O0") != CompileOptions(level="O1")
