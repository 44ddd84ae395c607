"""Fixtures of models and artifacts."""

from models import cache_root, tiny_model

__all__ = ["cache_root", "tiny_model"]
