"""Rule: tests mirror sources, so that the test of a file is found without a search.

passes/lift/lift_x.py        test/passes/lift/lift-x.mlir
dialects/llm (operation x)   test/dialects/llm/x.mlir
python/octavo/a/x.py         test/a/test_x.py
dialects/, passes/, runtime/, tools/ x.py    the same path below test/, test_x.py

What stands beside the passes of a phase, or beside the operations, and is neither, is a helper of theirs and
is tested through them.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from layout import exemptions
from layout.tree import modules, op_names, parse, pass_names

SOURCES = {
    "python/octavo": "test",
    "dialects": "test/dialects",
    "passes": "test/passes",
    "runtime": "test/runtime",
    "tools": "test/tools",
}

# Folders of passes and of operations.
_HOMES = ("passes/lift", "passes/optimize", "passes/lower", "dialects/llm")

EXEMPT: Mapping[str, str] = {
    "python/octavo/errors.py": "exception classes without behaviour",
    "python/octavo/mlir.py": "names that other modules import, nothing of its own",
}


def check(root: Path, exempt: Mapping[str, str] = EXEMPT) -> list[str]:
    """Report every source file without the tests that its place asks for."""
    findings = {
        str(path): f"has no test: expected {' and '.join(missing)}"
        for top, mirror in SOURCES.items()
        for path in modules(root, top)
        if (
            missing := [
                str(test) for test in _tests(root, path, top, mirror) if not (root / test).is_file()
            ]
        )
    }
    return exemptions.apply(findings, exempt, "tools/layout/mirror.py")


def _tests(root: Path, path: Path, top: str, mirror: str) -> Iterator[Path]:
    folder = Path(mirror) / path.parent.relative_to(top)
    tree = parse(root, path)
    if pass_names(tree):
        yield folder / f"{path.stem.replace('_', '-')}.mlir"
    elif names := op_names(tree):
        for name in names:
            yield folder / f"{name}.mlir"
    elif str(path.parent) not in _HOMES:
        yield folder / f"test_{path.name}"
