"""The runtime: loads an artifact and serves requests with it. It knows neither MLIR nor torch.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo.runtime.completion import Delta
    from octavo.runtime.engine import Engine, EngineLimits, TokenOutput
    from octavo.runtime.executable import Executable, IreeExecutable
    from octavo.runtime.generator import Generator
    from octavo.runtime.integrity import verify
    from octavo.runtime.llm import LLM
    from octavo.runtime.loader import load_executable
    from octavo.runtime.request import Metrics, RequestOutput, SamplingParams
    from octavo.runtime.tokenizer import Tokenizer, load_tokenizer

_HOMES = {
    "LLM": "llm",
    "Delta": "completion",
    "Engine": "engine",
    "EngineLimits": "engine",
    "Executable": "executable",
    "Generator": "generator",
    "IreeExecutable": "executable",
    "Metrics": "request",
    "RequestOutput": "request",
    "SamplingParams": "request",
    "TokenOutput": "engine",
    "Tokenizer": "tokenizer",
    "load_executable": "loader",
    "load_tokenizer": "tokenizer",
    "verify": "integrity",
}

__all__ = [
    "LLM",
    "Delta",
    "Engine",
    "EngineLimits",
    "Executable",
    "Generator",
    "IreeExecutable",
    "Metrics",
    "RequestOutput",
    "SamplingParams",
    "TokenOutput",
    "Tokenizer",
    "load_executable",
    "load_tokenizer",
    "verify",
]


def __getattr__(name: str) -> object:
    """Import the module that defines `name`."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
