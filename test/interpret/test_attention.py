from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from octavo.dialects.llm import AttentionOp, KVWriteOp, PagedAttentionOp
from octavo.dialects.llm.attributes import (
    bool_attr,
    float_attr,
    optional_float_attr,
    optional_int_attr,
)
from octavo.errors import OctavoError
from octavo.mlir import ir


@dataclass(frozen=True)
class Case:
    """One shape of attention: sizes, and the rule of its scores."""

    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 16
    value_dim: int = 16
    scale: float = 0.25
    window: int | None = None
    softcap: float | None = None

    @property
    def scores(self) -> dict[str, ir.Attribute]:
        return {
            "scale": float_attr(self.scale),
            "window": optional_int_attr(self.window),
            "softcap": optional_float_attr(self.softcap),
        }


CASES = {
    "mha": Case(kv_heads=4),
    "gqa": Case(),
    "mqa": Case(heads=5, kv_heads=1),
    "odd": Case(heads=3, kv_heads=3, head_dim=7, value_dim=7),
    "value_dim": Case(head_dim=6, value_dim=11),
    "window": Case(window=3),
    "window_of_one": Case(window=1),
    "softcap": Case(scale=2.0, softcap=1.5),
    "window_and_softcap": Case(heads=6, kv_heads=3, window=4, softcap=2.0),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def expected_attention(case: Case, q, k, v, causal: bool, mask=None) -> torch.Tensor:
    """Attention written out in f64, for `[b, t, heads, d]`; a query that sees nothing gives 0."""
    q, k, v = (each.double().transpose(1, 2) for each in (q, k, v))
    k, v = (each.repeat_interleave(case.heads // case.kv_heads, 1) for each in (k, v))
    scores = case.scale * q @ k.transpose(-1, -2)
    if case.softcap is not None:
        scores = case.softcap * torch.tanh(scores / case.softcap)
    num_tokens, num_keys = scores.shape[-2:]
    distance = torch.arange(num_tokens)[:, None] + num_keys - num_tokens - torch.arange(num_keys)
    if causal:
        scores = scores.masked_fill(distance < 0, -torch.inf)
    if case.window is not None:
        scores = scores.masked_fill(distance >= case.window, -torch.inf)
    if mask is not None:
        scores = (
            scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        )
    return (scores.softmax(-1).nan_to_num(0.0) @ v).transpose(1, 2)


def build_attention(case: Case, causal: bool = True) -> Any:
    def build(q, k, v, mask=None) -> ir.OpView:
        out = ir.RankedTensorType.get([*q.type.shape[:3], case.value_dim], q.type.element_type)
        return AttentionOp(q, k, v, mask, out, causal=bool_attr(causal), **case.scores)

    return build


def make_qkv(
    normal, case: Case, batch: int, num_tokens: int, num_keys: int, dtype=np.float32
) -> list:
    return [
        normal((batch, num_tokens, case.heads, case.head_dim), dtype),
        normal((batch, num_keys, case.kv_heads, case.head_dim), dtype),
        normal((batch, num_keys, case.kv_heads, case.value_dim), dtype),
    ]


@pytest.mark.parametrize(("num_tokens", "num_keys"), [(8, 8), (3, 8), (1, 8)])
def test_causal_attention_is_torchs(
    run_op, normal, to_torch, check_close, dtype, case, num_tokens, num_keys
) -> None:
    qkv = make_qkv(normal, case, 2, num_tokens, num_keys, dtype)
    [got] = run_op(build_attention(case), *qkv)
    assert got.dtype == dtype
    check_close(got, expected_attention(case, *map(to_torch, qkv), causal=True))


def test_attention_is_torchs_own(run_op, normal, to_torch, check_close) -> None:
    case = Case(scale=16**-0.5)
    qkv = make_qkv(normal, case, 2, 9, 9)
    [got] = run_op(build_attention(case), *qkv)
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(to_torch(each).transpose(1, 2) for each in qkv), is_causal=True, enable_gqa=True
    )
    check_close(got, expected.transpose(1, 2))


def test_attention_without_causality_sees_all(run_op, normal, to_torch, check_close) -> None:
    qkv = make_qkv(normal, Case(), 2, 3, 5)
    [got] = run_op(build_attention(Case(), causal=False), *qkv)
    check_close(got, expected_attention(Case(), *map(to_torch, qkv), causal=False))


@pytest.mark.parametrize("mask_batch", [1, 2])
@pytest.mark.parametrize("mask_heads", [1, 4])
@pytest.mark.parametrize("is_bool", [True, False])
def test_masks_broadcast(
    run_op, normal, rng, to_torch, check_close, mask_batch, mask_heads, is_bool
) -> None:
    shape = (mask_batch, mask_heads, 4, 6)
    mask = rng.random(shape) < 0.6 if is_bool else normal(shape)
    qkv = make_qkv(normal, Case(softcap=3.0), 2, 4, 6)
    [got] = run_op(build_attention(Case(softcap=3.0), causal=False), *qkv, mask)
    operands = map(to_torch, [*qkv])
    check_close(
        got, expected_attention(Case(softcap=3.0), *operands, causal=False, mask=to_torch(mask))
    )


def test_a_mask_comes_on_top_of_causality(run_op, normal, rng, to_torch, check_close) -> None:
    mask = rng.random((1, 1, 6, 6)) < 0.5
    qkv = make_qkv(normal, Case(), 2, 6, 6)
    [got] = run_op(build_attention(Case()), *qkv, mask)
    check_close(
        got, expected_attention(Case(), *map(to_torch, qkv), causal=True, mask=to_torch(mask))
    )


@pytest.mark.parametrize("nothing", [False, -np.inf, np.finfo(np.float32).min])
def test_a_query_that_sees_nothing_gives_zero(run_op, normal, nothing) -> None:
    mask = np.full((1, 1, 2, 3), nothing, np.asarray(nothing).dtype).astype(
        np.bool_ if nothing is False else np.float32
    )
    qkv = make_qkv(normal, Case(), 1, 2, 3)
    [got] = run_op(build_attention(Case(), causal=False), *qkv, mask)
    np.testing.assert_array_equal(got, np.zeros_like(got))


def test_queries_before_the_first_key_give_zero(run_op, normal) -> None:
    [got] = run_op(build_attention(Case()), *make_qkv(normal, Case(), 1, 5, 2))
    np.testing.assert_array_equal(got[:, :3], np.zeros_like(got[:, :3]))
    assert np.all(got[:, 3:] != 0)


BLOCK_SIZE = 4
NUM_BLOCKS = 23


def make_table(rng: np.random.Generator, batch: int, width: int) -> np.ndarray:
    """Scattered blocks, none of them in two rows."""
    return rng.permutation(NUM_BLOCKS)[: batch * width].reshape(batch, width).astype(np.int32)


def build_write(*step) -> ir.OpView:
    return KVWriteOp(*step, step[0].type)


def build_paged(case: Case) -> Any:
    def build(q, k_pool, v_pool, table, start, lens) -> ir.OpView:
        out = ir.RankedTensorType.get([*q.type.shape[:3], case.value_dim], q.type.element_type)
        return PagedAttentionOp(q, k_pool, v_pool, table, start, lens, out, **case.scores)

    return build


def test_kv_write_puts_each_token_into_its_slot(run_op, normal, dtype) -> None:
    pool, new = normal((5, 2, BLOCK_SIZE, 3), dtype), normal((3, 4, 2, 3), dtype)
    table = np.array([[4, 1], [2, 2], [3, 0]], np.int32)
    start, lens = np.array([2, 0, 4], np.int32), np.array([4, 0, 1], np.int32)
    before = pool.copy()
    [got] = run_op(build_write, pool, new, table, start, lens)
    # Row 0 fills slots 2 and 3 of block 4, then 0 and 1 of block 1; row 2 fills slot 0 of block 0.
    expected = pool.copy()
    expected[4, :, 2], expected[4, :, 3] = new[0, 0], new[0, 1]
    expected[1, :, 0], expected[1, :, 1] = new[0, 2], new[0, 3]
    expected[0, :, 0] = new[2, 0]
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(pool, before, "the input pool was written")


def test_padding_and_idle_rows_give_zero_though_their_queries_are_nan(run_op, normal, rng) -> None:
    case = Case()
    q = np.full((3, 4, case.heads, case.head_dim), np.nan, np.float32)
    q[0, :2] = normal(q[0, :2].shape)
    pools = [normal((NUM_BLOCKS, case.kv_heads, BLOCK_SIZE, case.head_dim)) for _ in range(2)]
    table = make_table(rng, 3, 2)
    start, lens = np.array([3, 0, 5], np.int32), np.array([2, 0, 0], np.int32)
    [got] = run_op(build_paged(case), q, *pools, table, start, lens)
    np.testing.assert_array_equal(got[0, 2:], 0)
    np.testing.assert_array_equal(got[1:], 0)
    assert np.all(got[0, :2] != 0)


def test_unused_entries_of_a_table_are_not_read(run_op, normal) -> None:
    case = Case()
    q = normal((1, 1, case.heads, case.head_dim))
    pools = [normal((4, case.kv_heads, BLOCK_SIZE, case.head_dim)) for _ in range(2)]
    start, lens = np.array([4], np.int32), np.array([1], np.int32)
    first, second = (
        run_op(build_paged(case), q, *pools, np.array([table], np.int32), start, lens)[0]
        for table in ([2, 1], [2, 1, 99, -7])
    )
    np.testing.assert_array_equal(first, second)


def test_chunks_over_pages_equal_attention_over_the_sequence(
    run_op, normal, rng, to_torch, check_close, dtype, case
) -> None:
    # Rows of different lengths, fed in chunks of at most 4 tokens; one has finished before the others.
    lengths = np.array([13, 9, 3])
    batch, chunk, width = len(lengths), 4, 4
    q, k, v = make_qkv(normal, case, batch, 13, 13, dtype)
    pools = [
        normal((NUM_BLOCKS, case.kv_heads, BLOCK_SIZE, size), dtype)
        for size in (case.head_dim, case.value_dim)
    ]
    table = make_table(rng, batch, width)
    outs = [np.zeros((batch, 0, case.heads, case.value_dim), dtype)]
    for begin in range(0, 13, chunk):
        start = np.minimum(begin, lengths).astype(np.int32)
        lens = np.clip(lengths - begin, 0, chunk).astype(np.int32)
        padded = [
            np.concatenate([each, normal((batch, chunk, *each.shape[2:]), dtype)], 1)[:, begin:][
                :, :chunk
            ]
            for each in (q, k, v)
        ]
        step = table, start, lens
        pools = [
            run_op(build_write, pool, new, *step)[0]
            for pool, new in zip(pools, padded[1:], strict=True)
        ]
        outs += run_op(build_paged(case), padded[0], *pools, *step)
    got = np.concatenate(outs, 1)
    for row, length in enumerate(lengths):
        whole = [to_torch(each[row : row + 1, :length]) for each in (q, k, v)]
        check_close(got[row : row + 1, :length], expected_attention(case, *whole, causal=True))
        np.testing.assert_array_equal(got[row, length:], np.zeros_like(got[row, length:]))


def test_a_table_that_is_too_short_is_an_error(run_op, normal) -> None:
    pool, new = normal((5, 2, BLOCK_SIZE, 3)), normal((1, 2, 2, 3))
    start, lens = np.array([3], np.int32), np.array([2], np.int32)
    with pytest.raises(OctavoError, match=r"row 0 holds 5 tokens in 2 blocks, but its table has 1"):
        run_op(build_write, pool, new, np.array([[0]], np.int32), start, lens)


def test_a_block_outside_the_pool_is_an_error(run_op, normal) -> None:
    pool, new = normal((5, 2, BLOCK_SIZE, 3)), normal((1, 2, 2, 3))
    start, lens = np.array([3], np.int32), np.array([2], np.int32)
    with pytest.raises(OctavoError, match=r"row 0 uses blocks \[1, 5\], but the pool has 5"):
        run_op(build_write, pool, new, np.array([[1, 5]], np.int32), start, lens)


@pytest.mark.parametrize(("start", "lens"), [(-1, 1), (0, -1), (0, 3)])
def test_a_row_that_no_step_has_is_an_error(start, lens, run_op, normal) -> None:
    pool, new = normal((5, 2, BLOCK_SIZE, 3)), normal((1, 2, 2, 3))
    row = [np.array([each], np.int32) for each in (start, lens)]
    table = np.array([[0, 1]], np.int32)
    q, kv = normal((1, 2, 4, 16)), normal((5, 2, BLOCK_SIZE, 16))
    for build, *inputs in ((build_write, pool, new), (build_paged(Case()), q, kv, kv)):
        with pytest.raises(OctavoError, match=rf"row 0 has start {start} and {lens} new tokens"):
            run_op(build, *inputs, table, *row)


def test_what_is_written_is_finite(run_op, normal, dtype) -> None:
    new = normal((1, 3, 1, 2), dtype)
    new[0, :, 0, 0] = np.inf, -np.inf, np.nan
    step = [np.array(each, np.int32) for each in ([[0]], [0], [3])]
    [got] = run_op(build_write, np.zeros((1, 1, BLOCK_SIZE, 2), dtype), new, *step)
    greatest = ml_dtypes.finfo(dtype).max
    np.testing.assert_array_equal(got[0, 0, :3, 0], np.array([greatest, -greatest, greatest]))
    np.testing.assert_array_equal(got[0, 0, :3, 1], new[0, :, 0, 1])


@pytest.mark.parametrize(("tokens", "keys"), [(0, 0), (0, 3), (2, 0)])
def test_axes_may_be_empty(tokens, keys, run_op, normal) -> None:
    [got] = run_op(build_attention(Case()), *make_qkv(normal, Case(), 2, tokens, keys))
    np.testing.assert_array_equal(got, np.zeros_like(got))
