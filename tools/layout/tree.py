"""Reads a source tree: its files, and what its Python files define and import."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

_SKIPPED = frozenset({"build", "dist", "__pycache__"})


def files(root: Path, suffixes: tuple[str, ...], top: str = ".") -> Iterator[Path]:
    """Every file below `root / top` with one of `suffixes`, relative to `root`, sorted.

    Links, hidden folders, build outputs and compiled artifacts are passed over.
    """
    for folder, subfolders, names in os.walk(root / top):
        subfolders[:] = sorted(name for name in subfolders if not _is_skipped(name))
        for name in sorted(names):
            if name.endswith(suffixes):
                yield (Path(folder) / name).relative_to(root)


def _is_skipped(folder: str) -> bool:
    return folder in _SKIPPED or folder.startswith(".") or folder.endswith(".octavo")


def modules(root: Path, top: str) -> Iterator[Path]:
    """Every Python module below `root / top`, relative to `root`; not a package's `__init__`."""
    return (path for path in files(root, (".py",), top) if not path.name.startswith("__"))


def parse(root: Path, path: Path) -> ast.Module:
    """Parse one Python file."""
    return ast.parse((root / path).read_text(encoding="utf-8"), filename=str(path))


def pass_names(tree: ast.Module) -> list[str]:
    """Names that the functions of a module are registered under, by `@register_pass("name")`."""
    return [
        decorator.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        and ast.unparse(decorator.func).endswith("register_pass")
        and decorator.args
        and isinstance(decorator.args[0], ast.Constant)
        and isinstance(decorator.args[0].value, str)
    ]


def op_names(tree: ast.Module) -> list[str]:
    """Names that the classes of a module give their operations, by `class X(LLMOperation, name="x")`."""
    return [
        keyword.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and _is_operation(node)
        for keyword in node.keywords
        if keyword.arg == "name"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    ]


def _is_operation(node: ast.ClassDef) -> bool:
    return any("Operation" in ast.unparse(base) for base in node.bases)
