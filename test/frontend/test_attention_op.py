"""The attention that models ask their interface for: one operation a layer, as the author configured it."""

from typing import Any

import pytest
import torch
import transformers

from octavo.frontend.attention_op import INTERFACE_NAME, OPERATOR_NAME
from octavo.frontend.export import capture_config
from octavo.mlir import ir
from octavo.passes.match import OWN_ATTENTION, constant
from octavo.passes.rewriter import walk

SIZES = {
    "vocab_size": 61,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 80,
    "head_dim": 20,
    "pad_token_id": 0,
}


def attentions(config: transformers.PretrainedConfig) -> list[ir.Operation]:
    module = capture_config(config, torch.float32, 64).module
    return [op for op in walk(module.operation) if op.name == "torch.operator"]


def attributes(op: ir.Operation) -> list[Any]:
    return [constant(operand) for operand in list(op.operands)[3:]]


def test_a_layer_is_one_operation_and_no_mask_is_made() -> None:
    config = transformers.MistralConfig(**SIZES, sliding_window=6)
    module = capture_config(config, torch.float32, 64).module
    names = [op.name for op in walk(module.operation)]
    assert names.count("torch.operator") == 2
    made_by_masks = ("arange", "where", "tril", "masked_fill", "softmax", "matmul", "full")
    assert not [name for name in names if any(word in name for word in made_by_masks)]


def test_keys_and_values_are_not_repeated_for_their_query_heads() -> None:
    op, _ = attentions(transformers.MistralConfig(**SIZES))
    shapes = [str(operand.type) for operand in list(op.operands)[:3]]
    q, kv = "!torch.vtensor<[?,?,4,20],f32>", "!torch.vtensor<[?,?,2,20],f32>"
    assert shapes == [q, kv, kv]
    assert str(op.results[0].type) == q


def test_scale_window_and_softcap_are_as_the_config_has_them() -> None:
    config = transformers.Gemma2Config(
        **SIZES,
        query_pre_attn_scalar=16,
        attn_logit_softcapping=30.0,
        sliding_window=6,
        layer_types=["sliding_attention", "full_attention"],
    )
    assert [attributes(op) for op in attentions(config)] == [
        [0.25, True, 6, 30.0],
        [0.25, True, None, 30.0],
    ]


def test_the_scale_of_a_model_that_gives_none_is_the_head_size() -> None:
    mixed, _ = transformers.AttentionInterface()[INTERFACE_NAME](
        torch.nn.Module(), *(torch.zeros(1, 4, 3, 16, device="meta") for _ in range(3)), None
    )
    assert mixed.shape == (1, 3, 4, 16)
    with pytest.raises(NotImplementedError, match="octavo::attention"):
        # Only its shape is known: a graph holds it, nobody runs it.
        transformers.AttentionInterface()[INTERFACE_NAME](
            torch.nn.Module(), *(torch.zeros(1, 4, 3, 16) for _ in range(3)), None
        )


def test_values_may_have_another_size_than_keys() -> None:
    q, v = torch.zeros(2, 3, 4, 16, device="meta"), torch.zeros(2, 3, 4, 12, device="meta")
    mixed = torch.ops.octavo.attention(q, q, v, scale=1.0, causal=True, window=None, softcap=None)
    assert mixed.shape == (2, 3, 4, 12)


def test_the_pass_that_lifts_it_knows_its_name() -> None:
    assert OPERATOR_NAME == OWN_ATTENTION
