"""Reads MLIR text for octavo-opt, and says what is wrong with it and where."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from octavo.errors import OctavoError
from octavo.mlir import ir

SEPARATOR = "// -----"
_NO_FILE = "-"  # MLIR's name for a text that it did not read from a file
_CUSTOM_FORM = re.compile(r"^[ \t]*(?:%[^=\n]*=[ \t]*)?(?P<op>llm\.\w+)\b(?![ \t]*=)", re.MULTILINE)
_EXAMPLE = (
    '%y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : '
    "(tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>"
)


@dataclass(frozen=True, slots=True)
class Part:
    """One module's text.

    Attributes:
        name: the file's, or `<stdin>`.
        text: as many empty lines as stand before the module in the file, then the module.
        is_file: whether the module is the whole file `name`.
    """

    name: str
    text: str
    is_file: bool

    def shown(self, message: str) -> str:
        """`message` with the file's name in the locations that only say 'a text'."""
        return message if self.is_file else message.replace(f'"{_NO_FILE}":', f'"{self.name}":')


def read_parts(path: str, split: bool) -> list[Part]:
    """Read a file, or stdin for `-`; with `split`, one part between every two `// -----` lines.

    Raises:
        OctavoError: the file cannot be read, or is not text.
    """
    name = "<stdin>" if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode()
    except OSError as error:
        raise OctavoError(f"{name}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OctavoError(f"{name}: expected MLIR as text, got bytes that are not UTF-8") from error
    if not split:
        return [Part(name, text, is_file=path != "-")]
    return [Part(name, part, is_file=False) for part in _split(text)]


def _split(text: str) -> Iterator[str]:
    lines = text.split("\n")
    ends = [index for index, line in enumerate(lines) if line.startswith(SEPARATOR)]
    begin = 0
    for end in [*ends, len(lines)]:
        yield "\n" * begin + "\n".join(lines[begin:end])
        begin = end + 1


def parse(part: Part) -> ir.Module:
    """Parse and verify a module in the current context.

    Raises:
        OctavoError: one line `file:line:column: error: ...` for each error, and each note.
    """
    try:
        # Only from a file do operations get the file's name as their location.
        return ir.Module.parseFile(part.name) if part.is_file else ir.Module.parse(part.text)
    except ir.MLIRError as error:
        lines = [line for each in error.error_diagnostics for line in _lines(part, "error", each)]
        raise OctavoError("\n".join(lines) or _explain_silence(part)) from error


def _lines(part: Part, severity: str, diagnostic: ir.DiagnosticInfo) -> Iterator[str]:
    yield f"{_place(part, diagnostic.location)}: {severity}: {diagnostic.message.strip()}"
    for note in diagnostic.notes:
        yield from _lines(part, "note", note)


def _place(part: Part, location: ir.Location) -> str:
    try:
        place = ir.FileLineColLoc(location)
    except ValueError:  # a location of another kind
        return f"{part.name}: {location}"
    name = part.name if place.filename == _NO_FILE else place.filename
    return f"{name}:{place.start_line}:{place.start_col}"


def _explain_silence(part: Part) -> str:
    """MLIR fails without a word on an operation of a Python dialect that is not in generic form."""
    found = _CUSTOM_FORM.search(part.text)
    if found is None:
        return f"{part.name}: error: MLIR cannot parse it, and gives no reason"
    before = part.text[: found.start("op")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return (
        f"{part.name}:{line}:{column}: error: '{found['op']}' is in custom form, and llm operations have "
        f"the generic form only, such as\n  {_EXAMPLE}"
    )
