"""Octavo's MLIR dialects, defined in Python."""

from octavo.dialects.context import create_context

__all__ = ["create_context"]
