"""Octavo: a compiler toolkit for LLM inference.

    artifact = octavo.compile("SmolLM2-135M-Instruct.gguf")
    llm = octavo.LLM(artifact)
    for output in llm.generate(["Once upon a time"], octavo.SamplingParams(max_tokens=64)):
        print(output.text)

Names are imported when they are first used: serving an artifact never imports torch or MLIR.
"""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.capture.export import Captured, capture
    from octavo.config import Bucket
    from octavo.runtime import LLM, RequestOutput, SamplingParams

__all__ = ["LLM", "Bucket", "Captured", "RequestOutput", "SamplingParams", "capture", "compile"]

_HOMES = {
    "Bucket": "octavo.config",
    "Captured": "octavo.capture.export",
    "LLM": "octavo.runtime",
    "RequestOutput": "octavo.runtime",
    "SamplingParams": "octavo.runtime",
    "capture": "octavo.capture.export",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'octavo' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)


def compile(  # noqa: A001 - the verb of the public interface
    source: str | Path,
    *,
    output: str | Path | None = None,
    **options: Any,
) -> Path:
    """Compile a model and return the artifact's directory.

    Args:
        source: a GGUF file or a Hugging Face directory.
        output: where to put the artifact; by default it stays in the compile cache.
        **options: fields of `octavo.compiler.options.CompileOptions`: `targets`, `level`, `dtype`,
            `block_size`, `max_context`, `buckets`.

    Raises:
        OctavoError: see `octavo.compiler.driver.compile_model`.
        TypeError: no such option.
        ValueError: a value is out of range.
    """
    from octavo.compiler.driver import compile_model
    from octavo.compiler.options import CompileOptions

    fixed = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    return compile_model(source, CompileOptions(**fixed), output=output)
