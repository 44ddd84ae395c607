"""Fixtures of models and artifacts."""

from models import (
    cache_root,
    open_tiny,
    smollm2,
    smollm2_path,
    speaking_artifact,
    speaking_model,
    tiny_model,
)

__all__ = [
    "cache_root",
    "open_tiny",
    "smollm2",
    "smollm2_path",
    "speaking_artifact",
    "speaking_model",
    "tiny_model",
]
