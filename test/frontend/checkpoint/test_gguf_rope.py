"""Rotary embeddings: every way that a GGUF file describes them, and what is missing in a broken one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.errors import CaptureError
from octavo.frontend.checkpoint.gguf_header import GGUFHeader, GGUFTensor
from octavo.frontend.checkpoint.gguf_metadata import Metadata
from octavo.frontend.checkpoint.gguf_rope import rope_parameters
from octavo.frontend.checkpoint.gguf_types import gguf_type


def parameters(path: Path, tensors: dict[str, Any] | None = None, **values: Any) -> dict[str, Any]:
    """What a file with these keys and tensors says about heads of 8 elements."""
    data, placed = b"", {}
    for name, factors in (tensors or {}).items():
        placed[name] = GGUFTensor((len(factors),), gguf_type(0, name, path), len(data))
        data += np.array(factors, dtype=np.float32).tobytes()
    path.write_bytes(data)
    keys = {f"llama.{key.replace('__', '.')}": value for key, value in values.items()}
    keys.setdefault("llama.context_length", 4096)
    return rope_parameters(GGUFHeader(path, keys, placed), Metadata(path, keys, "llama"), 8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.gguf"


def test_nothing_is_the_default(path: Path) -> None:
    assert parameters(path) == {"rope_type": "default", "rope_theta": 10000.0}


def test_older_files_scale_without_a_type(path: Path) -> None:
    expected = {"rope_type": "linear", "factor": 4.0, "rope_theta": 5e5}
    assert parameters(path, rope__scale_linear=4.0, rope__freq_base=5e5) == expected
    assert parameters(path, rope__scaling__factor=4.0, rope__freq_base=5e5) == expected


def test_yarn_takes_what_is_there(path: Path) -> None:
    yarn = {"rope__scaling__type": "yarn", "rope__scaling__factor": 2.0}
    assert parameters(path, **yarn) == {
        "rope_type": "yarn",
        "factor": 2.0,
        "original_max_position_embeddings": 4096,
        "rope_theta": 10000.0,
    }
    more = {"rope__scaling__original_context_length": 2048, "rope__scaling__yarn_attn_factor": 0.5}
    found = parameters(path, **yarn, **more)
    assert found["original_max_position_embeddings"] == 2048
    assert found["attention_factor"] == 0.5


def test_a_part_of_the_head_is_rotated(path: Path) -> None:
    assert parameters(path, rope__dimension_count=8).get("partial_rotary_factor") is None
    assert parameters(path, rope__dimension_count=6)["partial_rotary_factor"] == 0.75


@pytest.mark.parametrize(("dims", "head_dim"), [(30, 88), (2, 98), (188, 280), (254, 488)])
def test_the_fraction_gives_the_elements_back(path: Path, dims: int, head_dim: int) -> None:
    assert int(head_dim * (dims / head_dim)) != dims, "a case that needs no care"
    keys = {"llama.rope.dimension_count": dims, "llama.context_length": 64}
    header = GGUFHeader(path, keys, {})
    found = rope_parameters(header, Metadata(path, keys, "llama"), head_dim)
    fraction = found["partial_rotary_factor"]
    assert isinstance(fraction, float)
    assert int(head_dim * fraction) == dims


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"rope__dimension_count": 10},
        {},
        "dimension_count': expected an even number up to 8, got 10",
    ),
    ({"rope__freq_base": -1.0}, {}, "rope.freq_base': expected a positive number, got -1.0"),
    ({"rope__dimension_count": 3}, {}, "expected an even number up to 8, got 3"),
    ({"rope__scaling__type": "spiral"}, {}, "expected none, linear, yarn, .* got spiral"),
    ({"rope__scaling__type": "longrope"}, {}, "LongRoPE's tensors, got longrope"),
    (
        {"rope__scaling__type": "linear"},
        {},
        "rope.scaling.factor': expected a finite number, got None",
    ),
    ({"rope__scaling__factor": -1.0}, {}, "expected a positive factor, got -1.0"),
    ({}, {"rope_freqs.weight": [1.0] * 3}, r"'rope_freqs.weight': expected 4 factors, got \(3,\)"),
    ({}, {"rope_freqs.weight": [1.0, 0.0, 1.0, 1.0]}, "is damaged: a factor is not positive"),
    ({}, {"rope_freqs.weight": [1.0, np.nan, 1.0, 1.0]}, "is damaged: a factor is not positive"),
    (
        {},
        {"rope_factors_long.weight": [1.0] * 4},
        "no usable tensor 'rope_factors_short.weight': expected 4 factors, got none",
    ),
]


@pytest.mark.parametrize(("values", "tensors", "message"), WRONG)
def test_what_cannot_be_used_is_named(
    path: Path, values: dict[str, Any], tensors: dict[str, Any], message: str
) -> None:
    with pytest.raises(CaptureError, match=message):
        parameters(path, tensors, **values)
