"""lift-attention: attention operations of torch as `llm.attention`."""

from typing import Any

from octavo.dialects.llm import AttentionOp
from octavo.dialects.llm.attributes import (
    bool_attr,
    float_attr,
    optional_float_attr,
    optional_int_attr,
)
from octavo.mlir import ir
from octavo.passes.match import (
    OWN_ATTENTION,
    builtin_type,
    constant,
    is_none,
    match_if,
    pattern,
    replace_torch,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns
from octavo.passes.tensor_ops import DYNAMIC, dynamic_dims, expand, swap_axes


@pattern
def _own_operator(op: Any, rewriter: Rewriter) -> None:
    """Attention that a Hugging Face model asked its interface for; `[b, t, heads, d]`."""
    match_if(ir.StringAttr(op.attributes["name"]).value == OWN_ATTENTION)
    q, k, v, scale, causal, window, softcap = op.operands
    attention = AttentionOp(
        to_builtin(q),
        to_builtin(k),
        to_builtin(v),
        None,
        builtin_type(op.results[0].type),
        scale=float_attr(constant(scale)),
        causal=bool_attr(constant(causal)),
        window=optional_int_attr(constant(window)),
        softcap=optional_float_attr(constant(softcap)),
    )
    replace_torch(rewriter, op, [attention.out])


@pattern
def _scaled_dot_product(op: Any, rewriter: Rewriter) -> None:
    """`torch.nn.functional.scaled_dot_product_attention`; `[b, heads, t, d]`."""
    q, k, v, mask, dropout, causal, scale, grouped = op.operands
    types = [builtin_type(each.type) for each in (q, k, v)]
    match_if(constant(dropout) == 0.0 and all(type_.rank == 4 for type_ in types))
    num_heads, num_tokens, head_dim = types[0].shape[1:]
    num_kv_heads, num_keys = types[1].shape[1:3]
    match_if(DYNAMIC not in (num_heads, num_kv_heads, head_dim))
    match_if(constant(grouped) or num_heads == num_kv_heads)
    # torch aligns the first query with the first key, llm.attention the last with the last.
    match_if(not constant(causal) or num_tokens == num_keys)
    match_if(is_none(mask) or _pairs(mask) == [num_tokens, num_keys])
    given = constant(scale)
    result = swap_axes(to_builtin(q), 1, 2)
    attention = AttentionOp(
        result,
        swap_axes(to_builtin(k), 1, 2),
        swap_axes(to_builtin(v), 1, 2),
        None if is_none(mask) else _mask(mask),
        _token_major(builtin_type(op.results[0].type)),
        scale=float_attr(head_dim**-0.5 if given is None else given),
        causal=bool_attr(constant(causal)),
        window=optional_int_attr(None),
        softcap=optional_float_attr(None),
    )
    replace_torch(rewriter, op, [swap_axes(attention.out, 1, 2)])


def _pairs(mask: ir.Value) -> list[int]:
    """Sizes of a mask's last two axes, of `[..., t, s]` with two to four axes."""
    shape = list(builtin_type(mask.type).shape)
    match_if(len(shape) in (2, 3, 4))
    return shape[-2:]


def _mask(mask: ir.Value) -> ir.Value:
    """A mask with the axes of batch and heads, of one value each where it has none."""
    source = to_builtin(mask)
    shape = list(source.type.shape)
    missing = 4 - len(shape)
    if not missing:
        return source
    groups = [list(range(missing + 1)), *([missing + axis] for axis in range(1, len(shape)))]
    return expand(source, [1] * missing + shape, groups, dynamic_dims(source))


def _token_major(type_: ir.RankedTensorType) -> ir.RankedTensorType:
    batch, heads, tokens, head_dim = type_.shape
    return ir.RankedTensorType.get([batch, tokens, heads, head_dim], type_.element_type)


@register_pass("lift-attention")
def lift_attention(module: ir.Operation) -> int:
    """Lift the attention that capture inserts, and `scaled_dot_product_attention`.

    Before:
        %o = torch.operator "torch.octavo.attention"(%q, %k, %v, %scale, %true, %window, %none)
    After:
        %o = "llm.attention"(%q, %k, %v) {scale, causal = true, window = 8, softcap = none}
    """
    return apply_patterns(
        module,
        {
            "torch.operator": _own_operator,
            "torch.aten.scaled_dot_product_attention": _scaled_dot_product,
        },
    )
