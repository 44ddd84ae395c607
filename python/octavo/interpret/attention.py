"""References of attention, stateless and over the paged cache, and of the cache's update."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from octavo.dialects.llm.attributes import read_optional
from octavo.errors import OctavoError
from octavo.interpret.dtypes import as_f32, as_type_of, greatest_of
from octavo.interpret.frame import Frame
from octavo.interpret.registry import reference

# A score that a float mask brought down to here is unseen: masks are made of the least finite number too.
_LOWEST = np.finfo(np.float32).min


@dataclass(frozen=True, slots=True)
class _Rule:
    """How scores are made, and which keys a query sees."""

    scale: float
    softcap: float | None
    window: int | None
    causal: bool

    def seen(self, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Whether each query sees each key, by their positions: `[t, s]`."""
        distance = queries[:, None] - keys[None, :]
        seen = distance >= 0 if self.causal else np.ones_like(distance, dtype=np.bool_)
        return seen if self.window is None else seen & (distance < self.window)

    def scores(self, q: np.ndarray, k: np.ndarray) -> np.ndarray:
        """`[heads, t, s]` of q `[t, heads, d]` and k `[s, kv_heads, d]`."""
        num_tokens, num_heads, head_dim = q.shape
        grouped = q.reshape(num_tokens, k.shape[1], num_heads // k.shape[1], head_dim)
        products = np.einsum("tkgd,skd->kgts", grouped, k).reshape(num_heads, num_tokens, len(k))
        scores = np.asarray(products * np.float32(self.scale))
        if self.softcap is None:
            return scores
        cap = np.float32(self.softcap)
        return np.asarray(cap * np.tanh(scores / cap))


def _rule_of(op: Any, causal: bool) -> _Rule:
    window = read_optional(op.window)
    return _Rule(
        scale=op.scale.value,
        softcap=read_optional(op.softcap),
        window=None if window is None else int(window),
        causal=causal,
    )


def _weigh(scores: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Softmax of `[heads, t, s]` over the keys, times v `[s, kv_heads, dv]`; -inf is unseen."""
    top = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = np.sum(weights, axis=-1, keepdims=True)
    weights = weights / np.where(total > 0, total, 1)
    num_heads, num_tokens, num_keys = scores.shape
    _, num_kv_heads, value_dim = v.shape
    grouped = weights.reshape(num_kv_heads, num_heads // num_kv_heads, num_tokens, num_keys)
    out = np.einsum("kgts,skd->tkgd", grouped, v)
    return np.asarray(out.reshape(num_tokens, num_heads, value_dim))


@reference("llm.attention")
def attention(op: Any, frame: Frame) -> np.ndarray:
    """Attend without a cache, row by row."""
    rule = _rule_of(op, causal=bool(op.causal.value))
    q, k, v = (as_f32(frame[value]) for value in (op.q, op.k, op.v))
    batch, num_tokens, num_heads, _ = q.shape
    num_keys = k.shape[1]
    queries = np.arange(num_tokens) + num_keys - num_tokens
    added = np.where(rule.seen(queries, np.arange(num_keys)), np.float32(0), np.float32(-np.inf))
    added = np.broadcast_to(added, (batch, num_heads, num_tokens, num_keys))
    if op.mask is not None:
        added = added + _added_by(frame[op.mask])
    out = np.empty((batch, num_tokens, num_heads, v.shape[-1]), np.float32)
    for row in range(batch):
        scores = rule.scores(q[row], k[row]) + added[row]
        out[row] = _weigh(np.where(scores > _LOWEST, scores, np.float32(-np.inf)), v[row])
    return as_type_of(out, op.out)


def _added_by(mask: np.ndarray) -> np.ndarray:
    if mask.dtype == np.bool_:
        return np.where(mask, np.float32(0), np.float32(-np.inf))
    return as_f32(mask)


@reference("llm.kv_write")
def kv_write(op: Any, frame: Frame) -> np.ndarray:
    """Write each row's new tokens into their slots, as finite numbers; padding writes nothing."""
    pool, new = frame[op.pool].copy(), frame[op.new]
    table, start, lens = frame[op.table], frame[op.start], frame[op.lens]
    _check_rows(start, lens, new.shape[1])
    greatest = greatest_of(pool.dtype)
    new = np.where(new < greatest, np.maximum(new, -greatest), greatest).astype(pool.dtype)
    block_size = pool.shape[2]
    for row in range(len(new)):
        places = start[row] + np.arange(lens[row])
        blocks = _blocks_of(row, table[row], int(start[row] + lens[row]), pool)
        pool[blocks[places // block_size], :, places % block_size] = new[row, : lens[row]]
    return pool


@reference("llm.paged_attention")
def paged_attention(op: Any, frame: Frame) -> np.ndarray:
    """Gather each row's keys and values by its block table, then attend; padding gives 0."""
    rule = _rule_of(op, causal=True)
    q, k_pool, v_pool = as_f32(frame[op.q]), frame[op.k_pool], frame[op.v_pool]
    table, start, lens = frame[op.table], frame[op.start], frame[op.lens]
    _check_rows(start, lens, q.shape[1])
    out = np.zeros((*q.shape[:3], v_pool.shape[-1]), np.float32)
    for row in np.flatnonzero(lens).tolist():
        num_keys = int(start[row] + lens[row])
        blocks = _blocks_of(row, table[row], num_keys, k_pool)
        k, v = (_gather(pool, blocks, num_keys) for pool in (k_pool, v_pool))
        seen = rule.seen(start[row] + np.arange(lens[row]), np.arange(num_keys))
        scores = np.where(seen, rule.scores(q[row, : lens[row]], k), np.float32(-np.inf))
        out[row, : lens[row]] = _weigh(scores, v)
    return as_type_of(out, op.out)


def _gather(pool: np.ndarray, blocks: np.ndarray, num_keys: int) -> np.ndarray:
    """The first `num_keys` tokens of a row: `[s, kv_heads, d]`."""
    pages = as_f32(pool[blocks]).swapaxes(1, 2)
    num_blocks, block_size, *head = pages.shape
    return pages.reshape(num_blocks * block_size, *head)[:num_keys]


def _check_rows(start: np.ndarray, lens: np.ndarray, num_tokens: int) -> None:
    for row in range(len(lens)):
        if start[row] < 0 or not 0 <= lens[row] <= num_tokens:
            raise OctavoError(
                f"row {row} has start {start[row]} and {lens[row]} new tokens: "
                f"expected a start of 0 or more, and 0 to {num_tokens} new tokens"
            )


def _blocks_of(row: int, table: np.ndarray, num_tokens: int, pool: np.ndarray) -> np.ndarray:
    """Ids of the blocks that hold a row's first `num_tokens` tokens."""
    num_blocks = -(-num_tokens // pool.shape[2])
    if num_blocks > len(table):
        raise OctavoError(
            f"row {row} holds {num_tokens} tokens in {num_blocks} blocks, but its table has {len(table)}"
        )
    blocks = table[:num_blocks]
    if np.any((blocks < 0) | (blocks >= len(pool))):
        raise OctavoError(f"row {row} uses blocks {blocks.tolist()}, but the pool has {len(pool)}")
    return blocks
