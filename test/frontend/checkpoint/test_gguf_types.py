"""Tensor types of GGUF: their values are those of transformers' own decoders, or near what was quantised."""

from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as GGML
from transformers.integrations.gguf.dequant import GGML_BLOCK
from transformers.integrations.gguf.dequant import dequantize as decode_in_torch

from octavo.errors import CaptureError
from octavo.frontend.checkpoint import gguf_types
from octavo.frontend.checkpoint.gguf_types import gguf_type

FLOATS = {GGML.F32: torch.float32, GGML.F16: torch.float16, GGML.BF16: torch.bfloat16}
BITS = {GGML.Q4_0: 4, GGML.Q4_1: 4, GGML.Q5_0: 5, GGML.Q5_1: 5, GGML.Q8_0: 8}
K_QUANTS = [GGML.Q2_K, GGML.Q3_K, GGML.Q4_K, GGML.Q5_K, GGML.Q6_K]


@pytest.mark.parametrize("stored", FLOATS, ids=lambda kind: kind.name)
def test_floats_keep_their_precision(stored: GGML, rng: np.random.Generator) -> None:
    values = torch.from_numpy(rng.standard_normal((3, 7))).to(FLOATS[stored])
    data = bytearray(values.view(torch.uint8).numpy().tobytes())
    kind = gguf_type(stored.value, "w", Path("f"))
    assert kind.nbytes((3, 7)) == len(data)
    assert kind.dtype == FLOATS[stored]
    assert torch.equal(kind.decode(data, (3, 7)), values)


def test_a_large_tensor_is_decoded_in_parts(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, shape = gguf_type(GGML.Q4_1.value, "w", Path("f")), (7, 3, 64)
    data = bytearray(gguf.quantize(rng.standard_normal(shape).astype(np.float32), GGML.Q4_1))
    whole = kind.decode(data, shape)
    # Five rows of the 21 at a time, then a single one, narrower than a row.
    for size in (5 * 64 + 1, 1):
        monkeypatch.setattr(gguf_types, "_PART_SIZE", size)
        assert torch.equal(kind.decode(data, shape), whole)


@pytest.mark.parametrize("stored", BITS, ids=lambda kind: kind.name)
def test_blocks_are_near_what_was_quantised(stored: GGML, rng: np.random.Generator) -> None:
    values = rng.standard_normal((5, 3, 64)).astype(np.float32)
    data = gguf.quantize(values, stored).tobytes()
    kind = gguf_type(stored.value, "w", Path("f"))
    assert kind.nbytes(values.shape) == len(data)
    assert kind.dtype == torch.float32
    found = kind.decode(bytearray(data), values.shape).numpy()
    # A block's range in steps of 2^bits; one whole step where the range is not symmetric.
    step = (values.max() - values.min()) / (2 ** BITS[stored] - 1)
    assert np.abs(found - values).max() < 1.1 * step
    assert np.abs(found - values).max() > 0


@pytest.mark.parametrize(
    "stored",
    [kind for kind in (*BITS, *K_QUANTS) if kind.value in GGML_BLOCK],
    ids=lambda kind: kind.name,
)
def test_blocks_are_decoded_as_transformers_does(stored: GGML, rng: np.random.Generator) -> None:
    kind = gguf_type(stored.value, "w", Path("f"))
    shape = (6, 512)
    # Any bytes: half of the scales are beyond reason and some are NaN, in both.
    data = rng.bytes(kind.nbytes(shape))
    expected = decode_in_torch(torch.frombuffer(bytearray(data), dtype=torch.uint8), stored.value)
    found = kind.decode(bytearray(data), shape)
    torch.testing.assert_close(found, expected.reshape(shape), rtol=1e-6, atol=1e-6, equal_nan=True)


def test_a_type_that_is_not_read() -> None:
    with pytest.raises(CaptureError) as caught:
        gguf_type(GGML.IQ4_XS.value, "blk.0.attn_q.weight", Path("/m/a.gguf"))
    message = str(caught.value)
    assert message.startswith(
        "tensor 'blk.0.attn_q.weight' of /m/a.gguf has type IQ4_XS, which is not read: expected one of "
        "F32, F16, BF16, Q4_0,"
    )
    assert message.count("Q6_K") == 1


def test_a_type_that_nobody_knows() -> None:
    with pytest.raises(
        CaptureError, match="tensor 'w' of f has type number 4711, which is not read"
    ):
        gguf_type(4711, "w", Path("f"))
