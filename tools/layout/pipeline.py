"""Rule: every registered pass runs in the pipeline, or the pipeline's file says why it does not."""

import ast
from pathlib import Path

from layout.tree import files, parse, pass_names

PIPELINE = Path("python/octavo/compiler/pipeline.py")


def check(root: Path) -> list[str]:
    """Report every registered pass that the pipeline's file does not name."""
    listed = _strings(parse(root, PIPELINE)) if (root / PIPELINE).is_file() else frozenset()
    return [
        f"{path}: pass '{name}' is not in {PIPELINE}. Give it a place there, or a reason in UNUSED."
        for path in files(root, (".py",), "passes")
        for name in pass_names(parse(root, path))
        if name not in listed
    ]


def _strings(tree: ast.Module) -> frozenset[str]:
    return frozenset(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
