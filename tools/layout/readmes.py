"""Rule: a README names what exists, and the root's README names every folder at the top.

In a README's `text` blocks each word that ends in `/`, or has one and ends like a file, is a path: from the
root, or from the README's own folder.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from layout.tree import files

_BLOCK = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PATH = re.compile(r"(?<![\w./{<-])((?:[\w.-]+/)+(?:[\w-]+\.[a-z]+)?)(?![\w{<*])")
_MADE = (".octavo/", "build/", "dist/", ".venv/")


def check(root: Path) -> list[str]:
    """Report every path in a README that does not exist, and every top folder that the root's leaves out."""
    missing = [
        f"{readme}: names {path}, which does not exist"
        for readme in files(root, ("README.md",))
        for path in _paths((root / readme).read_text(encoding="utf-8"))
        if not path.endswith(_MADE)
        and not (root / path).exists()
        and not (root / readme.parent / path).exists()
    ]
    return missing + _unnamed_folders(root)


def _paths(text: str) -> Iterator[str]:
    for block in _BLOCK.findall(text):
        yield from _PATH.findall(block)


def _unnamed_folders(root: Path) -> list[str]:
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    named = {path.partition("/")[0] for path in _paths(text)}
    tops = {path.parts[0] for path in files(root, ("",)) if len(path.parts) > 1}
    return [f"README.md: does not name the folder {top}/" for top in sorted(tops - named)]
