"""The `llm` dialect: its table of contents."""

from octavo.dialects.llm.activation import ActivationOp, GegluOp, ScaleOp, SoftcapOp, SwigluOp
from octavo.dialects.llm.attention import AttentionOp, KVWriteOp, PagedAttentionOp
from octavo.dialects.llm.dialect import LLM, LLMOperation
from octavo.dialects.llm.linear import EmbeddingOp, LastTokenOp, LinearOp, LogitsOp, WeightOp
from octavo.dialects.llm.norm import AddRMSNormOp, LayerNormOp, RMSNormOp
from octavo.dialects.llm.rope import PositionsOp, RopeOp, RopeTableOp

__all__ = [
    "LLM",
    "ActivationOp",
    "AddRMSNormOp",
    "AttentionOp",
    "EmbeddingOp",
    "GegluOp",
    "KVWriteOp",
    "LLMOperation",
    "LastTokenOp",
    "LayerNormOp",
    "LinearOp",
    "LogitsOp",
    "PagedAttentionOp",
    "PositionsOp",
    "RMSNormOp",
    "RopeOp",
    "RopeTableOp",
    "ScaleOp",
    "SoftcapOp",
    "SwigluOp",
    "WeightOp",
]
