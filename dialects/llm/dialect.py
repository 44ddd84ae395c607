"""The dialect's name, and the base class of its operations."""

from octavo.dialects.base import VerifiedOperation
from octavo.mlir import ext


class LLM(ext.Dialect, name="llm"):
    """Semantic operations of language models: what a model computes, not how."""


class LLMOperation(VerifiedOperation, dialect=LLM):
    """Base class of the `llm` operations."""
