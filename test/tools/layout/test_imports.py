from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from layout import imports

Plant = Callable[[Mapping[str, str]], Path]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("runtime/engine.py", "import torch"),
        ("runtime/engine.py", "from torch.nn import Module"),
        ("runtime/engine.py", "from transformers import AutoConfig"),
        ("runtime/engine.py", "from octavo import mlir"),
        ("runtime/engine.py", "from octavo.passes.registry import find_pass"),
        ("runtime/engine.py", "import iree.compiler"),
        ("runtime/engine.py", "from iree import compiler"),
        ("runtime/engine.py", "def f():\n    import torch"),
        ("dialects/llm/norm.py", "import torch"),
        ("dialects/llm/norm.py", "from octavo.passes.rewriter import walk"),
        ("dialects/llm/norm.py", "from torch_mlir import ir"),
        ("passes/lift/lift_rope.py", "import iree.compiler"),
        ("passes/lift/lift_rope.py", "from octavo.frontend import capture"),
        ("python/octavo/artifact.py", "from octavo.runtime import engine"),
        ("python/octavo/frontend/export.py", "from torch_mlir import ir"),
        (
            "python/octavo/frontend/export.py",
            "from torch_mlir.extras.fx_importer import FxImporter",
        ),
        ("python/octavo/frontend/import_fx.py", "from torch_mlir import ir"),
        ("python/octavo/compiler/driver.py", "from octavo.runtime import engine"),
        ("python/octavo/cli/main.py", "import torch_mlir.ir"),
    ],
)
def test_an_import_against_the_direction_is_reported(plant: Plant, path: str, line: str) -> None:
    (problem,) = imports.check(plant({path: line}))
    assert problem.startswith(f"{path}:{line.count(chr(10)) + 1}: octavo.")
    assert "may not import" in problem


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("runtime/engine.py", "import iree.runtime"),
        ("runtime/engine.py", "from octavo.runtime.kv import block_pool"),
        ("runtime/engine.py", "from octavo.artifact import Manifest"),
        ("runtime/engine.py", "import torchlike"),
        ("dialects/llm/norm.py", "from octavo.mlir import ir"),
        ("passes/lift/lift_rope.py", "from octavo.dialects.llm import RopeOp"),
        ("python/octavo/mlir.py", "from torch_mlir import ir"),
        ("python/octavo/frontend/export.py", "import torch"),
        (
            "python/octavo/frontend/import_fx.py",
            "from torch_mlir.extras.fx_importer import FxImporter",
        ),
        ("python/octavo/compiler/driver.py", "import iree.compiler"),
        ("python/octavo/cli/main.py", "from octavo.runtime import engine"),
        ("python/octavo/__init__.py", "from octavo.compile.driver import compile"),
    ],
)
def test_an_import_along_the_direction_is_not(plant: Plant, path: str, line: str) -> None:
    assert imports.check(plant({path: line})) == []


def test_a_part_without_a_place_is_reported(plant: Plant) -> None:
    (problem,) = imports.check(plant({"python/octavo/newpart/x.py": ""}))
    assert "octavo.newpart has no place" in problem


def test_the_message_says_what_is_open(plant: Plant) -> None:
    (problem,) = imports.check(plant({"python/octavo/config.py": "from octavo.mlir import ir"}))
    expected = "octavo.config may not import octavo.mlir: it may import errors"
    assert problem == f"python/octavo/config.py:1: {expected}"
