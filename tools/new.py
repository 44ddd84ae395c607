"""Start an op or a pass: its file and its test, which work as they are, and an op's entry in the dialect.

    python tools/new.py op rope
    python tools/new.py pass optimize fuse-gate-up

The text is that of templates/, a working example to write over.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = Path(__file__).resolve().parent / "templates"
PHASES = ("lift", "optimize", "lower")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")


def new_op(root: Path, name: str) -> list[Path]:
    """Write the op `llm.<name>` into the tree at `root`; return the files written or changed.

    Raises:
        ValueError: the name is not snake_case.
        FileExistsError: there is a file of that name.
    """
    if not _SNAKE.fullmatch(name):
        raise ValueError(f"op name '{name}' is not snake_case: expected words like 'rms_norm'")
    class_name = "".join(word.capitalize() for word in name.split("_")) + "Op"
    written = _write(
        {
            root / "dialects/llm" / f"{name}.py": _render(
                "op.py", name=name, class_name=class_name
            ),
            root / "test/dialects/llm" / f"{name}.mlir": _render("op.mlir", name=name),
        }
    )
    contents = root / "dialects/llm/__init__.py"
    text = contents.read_text(encoding="utf-8")
    contents.write_text(_listed(text, f"octavo.dialects.llm.{name}", class_name), encoding="utf-8")
    _sort(contents)
    return [*written, contents]


def new_pass(root: Path, phase: str, name: str) -> list[Path]:
    """Write the pass `name` of `phase` into the tree at `root`; return the files written.

    It needs no registration: every module in a phase's folder is imported.

    Raises:
        ValueError: no such phase, or the name is not a verb and its object in kebab-case.
        FileExistsError: there is a file of that name.
    """
    if phase not in PHASES:
        raise ValueError(f"no phase '{phase}': expected one of {', '.join(PHASES)}")
    if not _KEBAB.fullmatch(name):
        raise ValueError(
            f"pass name '{name}' is not kebab-case: expected words like 'fuse-gate-up'"
        )
    function = name.replace("-", "_")
    return _write(
        {
            root / "passes" / phase / f"{function}.py": _render(
                "pass.py", name=name, function=function
            ),
            root / "test/passes" / phase / f"{name}.mlir": _render("pass.mlir", name=name),
        }
    )


def _render(template: str, **values: str) -> str:
    text = (TEMPLATES / f"{template}.template").read_text(encoding="utf-8")
    return Template(text).substitute(values)


def _write(texts: dict[Path, str]) -> list[Path]:
    if existing := [path for path in texts if path.exists()]:
        raise FileExistsError(f"{existing[0]} exists: choose another name, or change that file")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)


def _listed(text: str, module: str, name: str) -> str:
    """Add an import and its entry in `__all__` to a package's text, in any order."""
    docstring, quotes, rest = text.rpartition('"""')
    imported = f"{docstring}{quotes}\n\nfrom {module} import {name}\n{rest}"
    return imported.replace("__all__ = [", f'__all__ = [\n    "{name}",', 1)


def _sort(path: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--select=I,RUF022", "--fix", str(path)], check=True)
    subprocess.run([*ruff, "format", "--quiet", str(path)], check=True)


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Start an op or a pass.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    op = kinds.add_parser("op", help="an operation of the llm dialect")
    op.add_argument("name", help="snake_case, such as rms_norm")
    pass_ = kinds.add_parser("pass", help="a pass of one phase")
    pass_.add_argument("phase", choices=PHASES)
    pass_.add_argument("name", help="kebab-case, the verb first, such as fuse-gate-up")
    given = parser.parse_args()
    try:
        is_op = given.kind == "op"
        written = new_op(ROOT, given.name) if is_op else new_pass(ROOT, given.phase, given.name)
    except (ValueError, FileExistsError) as error:
        parser.error(str(error))
    print("\n".join(str(path.relative_to(ROOT)) for path in written))
    print("The next steps are in CONTRIBUTING.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
