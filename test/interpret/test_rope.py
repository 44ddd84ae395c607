import numpy as np
import pytest
import torch

from octavo.dialects.llm import PositionsOp, RopeOp, RopeTableOp
from octavo.dialects.llm.attributes import float_attr
from octavo.mlir import ir


def rope(x, cos, sin, style: str) -> ir.OpView:
    return RopeOp(x, cos, sin, x.type, style=ir.StringAttr.get(style))


@pytest.fixture
def angles(rng) -> np.ndarray:
    return rng.uniform(-100, 100, (2, 5, 3)).astype(np.float32)


def test_positions_count_from_each_rows_start_and_padding_is_zero(run_op) -> None:
    tokens = np.zeros((3, 4), np.int32)
    start, lens = np.array([7, 0, 100], np.int32), np.array([4, 0, 2], np.int32)
    [got] = run_op(lambda *step: PositionsOp(*step, step[0].type), tokens, start, lens)
    np.testing.assert_array_equal(got, [[7, 8, 9, 10], [0, 0, 0, 0], [100, 101, 0, 0]])


def test_rope_table_is_the_scaled_cosine_and_sine(run_op, rng) -> None:
    positions = rng.integers(0, 5000, (2, 3), np.int32)
    inv_freq = (10000 ** -(np.arange(4) / 4)).astype(np.float32)

    def build(positions, inv_freq) -> ir.OpView:
        table = ir.RankedTensorType.get([2, 3, 4], ir.F32Type.get())
        return RopeTableOp(positions, inv_freq, table, table, scaling=float_attr(1.25))

    cos, sin = run_op(build, positions, inv_freq)
    angle = torch.from_numpy(positions)[..., None].float() * torch.from_numpy(inv_freq)
    np.testing.assert_allclose(cos, 1.25 * angle.cos().numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(sin, 1.25 * angle.sin().numpy(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("head_dim", [6, 7, 10])
def test_neox_rotates_halves(
    run_op, normal, to_torch, check_close, dtype, angles, head_dim
) -> None:
    # The formula that models spell: x cos + rotate_half(x) sin, on the first 2r values of each head.
    x, cos, sin = normal((2, 5, 4, head_dim), dtype), np.cos(angles), np.sin(angles)
    [got] = run_op(lambda *fields: rope(*fields, "neox"), x, cos, sin)
    rotated, rest = to_torch(x)[..., :6], to_torch(x)[..., 6:]
    half = torch.cat([-rotated[..., 3:], rotated[..., :3]], -1)
    whole_cos, whole_sin = (to_torch(np.tile(each, 2))[:, :, None] for each in (cos, sin))
    check_close(got, torch.cat([rotated * whole_cos + half * whole_sin, rest], -1))


@pytest.mark.parametrize("head_dim", [6, 7, 10])
def test_interleaved_multiplies_complex_pairs(
    run_op, normal, to_torch, check_close, dtype, angles, head_dim
) -> None:
    x = normal((2, 5, 4, head_dim), dtype)
    [got] = run_op(lambda *fields: rope(*fields, "interleaved"), x, np.cos(angles), np.sin(angles))
    pairs = torch.view_as_complex(to_torch(x)[..., :6].reshape(2, 5, 4, 3, 2).contiguous())
    turned = torch.view_as_real(pairs * torch.exp(1j * to_torch(angles))[:, :, None]).flatten(-2)
    check_close(got, torch.cat([turned, to_torch(x)[..., 6:]], -1))


@pytest.mark.parametrize("style", ["neox", "interleaved"])
def test_position_zero_changes_nothing(run_op, normal, dtype, style) -> None:
    x, zeros = normal((1, 2, 3, 8), dtype), np.zeros((1, 2, 4), np.float32)
    [got] = run_op(lambda *fields: rope(*fields, style), x, np.cos(zeros), zeros)
    np.testing.assert_array_equal(got, x)
