"""Rule: imports go one way, and each foreign package has one door.

mlir, errors, arguments, config, artifact <- dialects <- passes <- frontend, compiler <- cli
artifact, config, arguments, errors <- runtime <- serve, cli
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from layout.tree import files, parse

_TORCH = ("torch", "transformers")
_MLIR = ("torch_mlir",)
_IREE = ("iree",)
_BASE = ("arguments", "errors", "config", "artifact", "progress")
_IR = (*_BASE, "mlir", "dialects", "passes")


@dataclass(frozen=True, slots=True)
class Layer:
    """What the modules of one part of `octavo` may import.

    Attributes:
        parts: other parts of `octavo`; None where all are open.
        barred: foreign packages or modules, with all below them.
    """

    parts: tuple[str, ...] | None
    barred: tuple[str, ...] = (*_TORCH, *_MLIR, *_IREE)


LAYERS = {
    "errors": Layer(()),
    "arguments": Layer(()),
    "config": Layer(("errors",)),
    "progress": Layer(("errors",)),
    "artifact": Layer(("errors", "config")),
    "mlir": Layer((), (*_TORCH, *_IREE)),
    "dialects": Layer((*_BASE, "mlir")),
    "passes": Layer((*_BASE, "mlir", "dialects")),
    "interpret": Layer(_IR),
    "equivalence": Layer((*_IR, "interpret")),
    "frontend": Layer(_IR, (*_MLIR, *_IREE)),
    "compiler": Layer((*_IR, "frontend"), _MLIR),
    "runtime": Layer(_BASE, (*_TORCH, *_MLIR, "iree.compiler")),
    "serve": Layer((*_BASE, "runtime")),
    # Entry points reach both halves. Which of them a command loads is a test's business.
    "cli": Layer(None),
    "": Layer(None),
}
# Where a foreign package comes in all the same.
DOORS = {("python/octavo/frontend/import_fx.py", "torch_mlir.extras.fx_importer")}


def check(root: Path) -> list[str]:
    """Report every import that goes against the direction or around a door."""
    return [
        f"{path}:{line}: {problem}"
        for top in ("python/octavo", "dialects", "passes", "runtime")
        for path in files(root, (".py",), top)
        for line, problem in _check_file(root, path)
    ]


def _check_file(root: Path, path: Path) -> Iterator[tuple[int, str]]:
    part = _part_of(path)
    if part not in LAYERS:
        yield 1, f"octavo.{part} has no place in the order of imports. Give it one in {__name__}."
        return
    for line, modules in _imports(parse(root, path)):
        if any((str(path), module) in DOORS for module in modules):
            continue
        if problem := _problem(part, modules):
            yield line, problem


def _part_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    inside = parts[2:] if parts[0] == "python" else parts
    return "" if inside == ("__init__",) else inside[0]


def _imports(tree: ast.Module) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line of each imported name, and the modules that it may mean."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, (alias.name,)) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield node.lineno, (node.module, f"{node.module}.{alias.name}")


def _problem(part: str, modules: tuple[str, ...]) -> str | None:
    layer = LAYERS[part]
    importer = f"octavo.{part}".rstrip(".")
    for module in modules:
        if any(module == barred or module.startswith(f"{barred}.") for barred in layer.barred):
            return f"{importer} may not import {module}"
    package, _, inside = modules[-1].partition(".")
    imported = inside.partition(".")[0]
    if package != "octavo" or layer.parts is None or imported in (part, *layer.parts):
        return None
    return f"{importer} may not import octavo.{imported}: it may import {_listed(layer.parts)}"


def _listed(parts: tuple[str, ...]) -> str:
    return ", ".join(parts) or "nothing of octavo"
