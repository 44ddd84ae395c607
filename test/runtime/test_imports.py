"""What serving loads: an artifact must start without the compiler, and the package without anything."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import octavo.runtime

COMPILER = ("torch", "transformers", "torch_mlir", "iree.compiler", "gguf", "safetensors", "scipy")


def loaded(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter has loaded after `code`."""
    source_root = Path(octavo.runtime.__file__).parents[2]
    script = f"import sys; sys.path.insert(0, {str(source_root)!r}); {code}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_package_alone_loads_nothing_foreign() -> None:
    modules = loaded("import octavo.runtime")
    assert modules.isdisjoint({*COMPILER, "numpy", "iree.runtime", "tokenizers", "jinja2"})
    assert "octavo.runtime.llm" not in modules


@pytest.mark.parametrize("name", octavo.runtime.__all__)
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(octavo.runtime, name).__name__ == name


def test_a_name_it_has_not() -> None:
    with pytest.raises(
        AttributeError, match=r"module 'octavo\.runtime' has no attribute 'nothing'"
    ):
        _ = octavo.runtime.nothing


def test_parameters_load_no_device() -> None:
    modules = loaded("from octavo.runtime import SamplingParams; SamplingParams()")
    assert modules.isdisjoint({*COMPILER, "numpy", "iree.runtime", "tokenizers", "jinja2"})


def test_generating_loads_no_compiler(make_artifact: Callable[..., Path]) -> None:
    directory = make_artifact("local-task")
    modules = loaded(f"from octavo.runtime import LLM; LLM({str(directory)!r}).generate([[5, 6]])")
    assert modules.isdisjoint({*COMPILER, "jinja2"})
    assert "iree.runtime" in modules
