import numpy as np
import pytest
import torch
from torch.nn.functional import linear

from octavo.dialects.llm import EmbeddingOp, LastTokenOp, LinearOp, LogitsOp
from octavo.mlir import ir


def like(value: ir.Value, *shape: int) -> ir.Type:
    return ir.RankedTensorType.get(shape, value.type.element_type)


def test_embedding_looks_rows_up(run_op, normal, rng, dtype) -> None:
    table, ids = normal((11, 5), dtype), rng.integers(0, 11, (3, 4), np.int32)
    [got] = run_op(lambda table, ids: EmbeddingOp(table, ids, like(table, 3, 4, 5)), table, ids)
    np.testing.assert_array_equal(got, table[ids])


def test_embedding_clamps_ids(run_op, normal) -> None:
    table, ids = normal((11, 5)), np.array([-(2**31), -1, 0, 10, 11, 2**31 - 1], np.int32)
    [got] = run_op(lambda table, ids: EmbeddingOp(table, ids, like(table, 6, 5)), table, ids)
    np.testing.assert_array_equal(got, table[[0, 0, 0, 10, 10, 10]])


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("has_residual", [True, False])
def test_linear_is_torchs(
    run_op, normal, to_torch, check_close, dtype, has_bias, has_residual
) -> None:
    x, weight = normal((2, 3, 17), dtype), normal((9, 17), dtype)
    bias = normal((9,), dtype) if has_bias else None
    residual = normal((2, 3, 9), dtype) if has_residual else None
    [got] = run_op(
        lambda x, w, b, r: LinearOp(x, w, b, r, like(x, 2, 3, 9)), x, weight, bias, residual
    )
    expected = linear(to_torch(x), to_torch(weight), None if bias is None else to_torch(bias))
    check_close(got, expected if residual is None else expected + to_torch(residual))


def test_linear_accumulates_halves_in_f32(run_op) -> None:
    # In f16 the sum of 4096 ones stops at 2048.
    x, weight = np.ones((1, 4096), np.float16), np.ones((1, 4096), np.float16)
    [got] = run_op(lambda x, w: LinearOp(x, w, None, None, like(x, 1, 1)), x, weight)
    assert got == 4096


def test_linear_takes_a_vector(run_op, normal, to_torch, check_close) -> None:
    x, weight = normal((6,)), normal((4, 6))
    [got] = run_op(lambda x, w: LinearOp(x, w, None, None, like(x, 4)), x, weight)
    check_close(got, linear(to_torch(x), to_torch(weight)))


@pytest.mark.parametrize("has_bias", [True, False])
def test_logits_are_those_of_the_last_token(
    run_op, normal, to_torch, check_close, dtype, has_bias
) -> None:
    x, weight = normal((4, 5, 12), dtype), normal((30, 12), dtype)
    bias = normal((30,), dtype) if has_bias else None
    lens = np.array([5, 0, 1, 3], np.int32)
    [got] = run_op(
        lambda x, w, b, lens: LogitsOp(x, w, b, lens, like(x, 4, 30)), x, weight, bias, lens
    )
    expected = linear(to_torch(x), to_torch(weight), None if bias is None else to_torch(bias))
    check_close(
        got, expected[torch.arange(4), torch.tensor([4, 0, 0, 2])] * (to_torch(lens) > 0)[:, None]
    )


def test_logits_of_an_idle_row_are_zero_though_its_tokens_are_nan(run_op, normal) -> None:
    x, lens = np.full((2, 3, 4), np.nan, np.float32), np.zeros(2, np.int32)
    [got] = run_op(
        lambda x, w, b, lens: LogitsOp(x, w, b, lens, like(x, 2, 6)),
        x,
        normal((6, 4)),
        normal((6,)),
        lens,
    )
    np.testing.assert_array_equal(got, np.zeros((2, 6)))


def test_last_token_takes_each_rows_last_and_zero_for_idle_rows(run_op, normal, dtype) -> None:
    x, lens = normal((3, 4, 2, 5), dtype), np.array([4, 0, 2], np.int32)
    [got] = run_op(lambda x, lens: LastTokenOp(x, lens, like(x, 3, 2, 5)), x, lens)
    np.testing.assert_array_equal(got, np.stack([x[0, 3], np.zeros_like(x[0, 0]), x[2, 1]]))
