"""Fixtures of models and artifacts."""

from models import cache_root, smollm2_path, speaking_artifact, speaking_model

__all__ = ["cache_root", "smollm2_path", "speaking_artifact", "speaking_model"]
