"""The names of models: a path, or an installed package that carries one."""

import importlib.util
import os
from pathlib import Path

from octavo.arguments import require
from octavo.errors import CaptureError

MODEL_HELP = (
    "a GGUF file, a Hugging Face directory, or an installed Python package that carries a GGUF file"
)


def find_model(name: str | os.PathLike[str]) -> Path:
    """Path of a model: `name` itself, or the GGUF file that the installed package `name` carries.

    Raises:
        CaptureError: neither a path nor such a package.
        ValueError: neither text nor a path.
    """
    require(isinstance(name, str | os.PathLike), "source", MODEL_HELP, name)
    path = Path(name)
    if path.exists():
        return path
    package = str(path).replace("-", "_")
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    files = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if len(files) != 1:
        raise CaptureError(f"no model '{name}': expected {MODEL_HELP}")
    return files[0]
