import numpy as np
import pytest
import torch
from torch.nn.functional import layer_norm, rms_norm

from octavo.dialects.llm import AddRMSNormOp, LayerNormOp, RMSNormOp
from octavo.dialects.llm.attributes import float_attr

EPS = 1e-5


@pytest.mark.parametrize("offset", [0.0, 1.0])
@pytest.mark.parametrize("shape", [(7,), (2, 3, 33), (2, 3, 4, 16)])
def test_rms_norm_is_torchs(run_op, normal, to_torch, check_close, dtype, shape, offset) -> None:
    x, weight = normal(shape, dtype), normal(shape[-1:], dtype)
    attributes = {"eps": EPS, "weight_offset": offset}
    [got] = run_op(
        lambda x, w: RMSNormOp(x, w, x.type, **{k: float_attr(v) for k, v in attributes.items()}),
        x,
        weight,
    )
    assert got.dtype == dtype
    check_close(got, rms_norm(to_torch(x), shape[-1:], to_torch(weight) + offset, EPS))


def test_rms_norm_takes_statistics_of_halves_in_f32(run_op) -> None:
    # The squares of 300 are beyond f16.
    x, weight = np.full((1, 8), 300, np.float16), np.ones(8, np.float16)
    [got] = run_op(
        lambda x, w: RMSNormOp(x, w, x.type, eps=float_attr(EPS), weight_offset=float_attr(0)),
        x,
        weight,
    )
    np.testing.assert_array_equal(got, np.ones((1, 8), np.float16))


def test_add_rms_norm_is_the_sum_and_its_norm(run_op, normal, to_torch, check_close, dtype) -> None:
    x, residual, weight = normal((2, 5, 24), dtype), normal((2, 5, 24), dtype), normal((24,), dtype)
    total, got = run_op(
        lambda x, r, w: AddRMSNormOp(
            x, r, w, x.type, x.type, eps=float_attr(EPS), weight_offset=float_attr(1)
        ),
        x,
        residual,
        weight,
    )
    np.testing.assert_array_equal(total, x + residual)
    check_close(got, rms_norm(to_torch(total), (24,), to_torch(weight) + 1, EPS))


@pytest.mark.parametrize("has_weight", [True, False])
@pytest.mark.parametrize("has_bias", [True, False])
def test_layer_norm_is_torchs(
    run_op, normal, to_torch, check_close, dtype, has_weight, has_bias
) -> None:
    x = normal((2, 3, 40), dtype)
    weight = normal((40,), dtype) if has_weight else None
    bias = normal((40,), dtype) if has_bias else None
    [got] = run_op(
        lambda x, w, b: LayerNormOp(x, w, b, x.type, eps=float_attr(EPS)), x, weight, bias
    )
    terms = [None if term is None else to_torch(term) for term in (weight, bias)]
    check_close(got, layer_norm(to_torch(x), (40,), *terms, eps=EPS))


def test_layer_norm_subtracts_a_large_mean(run_op, normal, check_close) -> None:
    x = normal((4, 64)) + np.float32(1000)
    [got] = run_op(lambda x: LayerNormOp(x, None, None, x.type, eps=float_attr(EPS)), x)
    expected = layer_norm(torch.from_numpy(x).double(), (64,), eps=EPS)
    np.testing.assert_allclose(got, expected.numpy(), rtol=0, atol=1e-3)
