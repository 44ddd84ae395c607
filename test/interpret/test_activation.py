import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from octavo.dialects.llm import ActivationOp, GegluOp, ScaleOp, SoftcapOp, SwigluOp
from octavo.dialects.llm.activation import ACTIVATIONS
from octavo.dialects.llm.attributes import float_attr
from octavo.interpret.activation import erf
from octavo.mlir import ir

TORCH = {
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}


def test_erf_is_maths_in_any_shape(normal) -> None:
    for shape in [(), (0,), (3, 5)]:
        x = np.asarray(normal(shape), np.float64)
        expected = [math.erf(value) for value in x.flat]
        assert erf(x).shape == shape
        np.testing.assert_array_equal(erf(x).ravel(), expected)


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_activations_are_torchs(run_op, normal, to_torch, check_close, dtype, kind) -> None:
    x = (4 * normal((3, 50))).astype(dtype)
    [got] = run_op(lambda x: ActivationOp(x, x.type, kind=ir.StringAttr.get(kind)), x)
    assert got.dtype == dtype
    check_close(got, TORCH[kind](to_torch(x)))


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_activations_do_not_overflow(run_op, kind) -> None:
    x = np.array([-1e4, 1e4], np.float32)
    [got] = run_op(lambda x: ActivationOp(x, x.type, kind=ir.StringAttr.get(kind)), x)
    np.testing.assert_allclose(got, TORCH[kind](torch.from_numpy(x)).numpy(), rtol=1e-6)


def test_swiglu_is_torchs(run_op, normal, to_torch, check_close, dtype) -> None:
    gate, up = normal((2, 3, 20), dtype), normal((2, 3, 20), dtype)
    [got] = run_op(lambda gate, up: SwigluOp(gate, up, gate.type), gate, up)
    check_close(got, functional.silu(to_torch(gate)) * to_torch(up))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_geglu_is_torchs(run_op, normal, to_torch, check_close, dtype, approximate) -> None:
    gate, up = normal((2, 3, 20), dtype), normal((2, 3, 20), dtype)
    form = approximate
    [got] = run_op(
        lambda gate, up: GegluOp(gate, up, gate.type, approximate=ir.StringAttr.get(form)), gate, up
    )
    check_close(got, functional.gelu(to_torch(gate), approximate=approximate) * to_torch(up))


def test_the_two_forms_of_gelu_differ(run_op) -> None:
    x = np.array([1.5], np.float32)
    erf_form, tanh_form = (
        run_op(lambda x, kind=kind: ActivationOp(x, x.type, kind=ir.StringAttr.get(kind)), x)[0]
        for kind in ("gelu", "gelu_tanh")
    )
    assert 1e-5 < abs(erf_form - tanh_form).item() < 1e-3


def test_scale_multiplies(run_op, normal, to_torch, check_close, dtype) -> None:
    x = normal((2, 7), dtype)
    [got] = run_op(lambda x: ScaleOp(x, x.type, factor=float_attr(-0.3)), x)
    check_close(got, -0.3 * to_torch(x))


def test_softcap_bounds(run_op, normal, to_torch, check_close, dtype) -> None:
    x = (50 * normal((2, 7))).astype(dtype)
    [got] = run_op(lambda x: SoftcapOp(x, x.type, cap=float_attr(30.0)), x)
    check_close(got / 30, torch.tanh(to_torch(x) / 30))
    assert np.all(np.abs(got.astype(np.float32)) <= 30)
