"""lower-attention: attention without a cache."""

from octavo.dialects.llm import AttentionOp
from octavo.dialects.llm.attributes import read_optional
from octavo.mlir import arith, ir
from octavo.passes.lower.build import collapse, expand, fitted, index, size_of, sizes_of
from octavo.passes.lower.scalar import (
    LOWEST,
    as_i32,
    axis_index,
    integer,
    less,
    not_above,
    real,
    widened,
)
from octavo.passes.lower.softmax import KEY_AXIS, QUERY_AXIS, Read, Scores, attend
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


@register_pass("lower-attention")
def lower_attention(module: ir.Operation) -> int:
    """Turn `llm.attention` into products, a masked softmax in f32 and a product.

    Before:  %y = llm.attention(%q, %k, %v)
    After:   %scores = linalg.generic { sum over d of %q * %k }, scaled and masked
             %weights = linalg.generic { exp(%scores - max) }
             %y = linalg.generic { sum over keys of %weights * %v }, divided by the sum of %weights
    """
    return apply_patterns(module, {AttentionOp.OPERATION_NAME: _attention})


def _attention(op: AttentionOp, rewriter: Rewriter) -> bool:
    batch, tokens, num_heads, head_dim = sizes_of(op.q)
    _, num_keys, num_kv_heads, value_dim = sizes_of(op.v)
    group = num_heads // num_kv_heads
    bounds = [batch, num_kv_heads, group, tokens, num_keys, head_dim, value_dim]
    sizes = dict(zip("bhgtsde", bounds, strict=True))
    heads = [[0], [1], [2, 3], [4]]
    q = expand(op.q, heads, [batch, tokens, num_kv_heads, group, head_dim])
    how = _how(op, num_kv_heads, group)
    out = attend((q, "bthgd"), (op.k, "bshd"), (op.v, "bshe"), sizes, how)
    rewriter.replace(op, [fitted(collapse(out, heads), op.out.type)])
    return True


def _how(op: AttentionOp, num_kv_heads: int, group: int) -> Scores:
    window = read_optional(op.window)
    is_causal = bool(op.causal.value)
    # The last query stands at the last key.
    offset = as_i32(arith.subi(index(size_of(op.k, 1)), index(size_of(op.q, 1))))

    def mask(score: ir.Value, *given: ir.Value) -> ir.Value:
        for value in given:
            score = _masked(score, value)
        position = arith.addi(as_i32(axis_index(QUERY_AXIS)), offset)
        key = as_i32(axis_index(KEY_AXIS))
        if is_causal:
            score = arith.select(not_above(key, position), score, real(LOWEST))
        if window is not None:
            is_near = less(arith.subi(position, integer(int(window))), key)
            score = arith.select(is_near, score, real(LOWEST))
        return score

    given = [] if op.mask is None else [_by_head(op.mask, num_kv_heads, group)]
    return Scores(op.scale.value, read_optional(op.softcap), mask, given)


def _masked(score: ir.Value, mask: ir.Value) -> ir.Value:
    if isinstance(mask.type, ir.IntegerType):
        return arith.select(mask, score, real(LOWEST))
    return arith.addf(score, widened(mask))


def _by_head(mask: ir.Value, num_kv_heads: int, group: int) -> Read:
    """A mask `[b | 1, heads | 1, t, s]` over the axes of scores."""
    batch, num_heads, *pairs = sizes_of(mask)
    row = "0" if batch == 1 else "b"
    if num_heads == 1:
        return mask, f"{row}0ts"
    split = expand(mask, [[0], [1, 2], [3], [4]], [batch, num_kv_heads, group, *pairs])
    return split, f"{row}hgts"
