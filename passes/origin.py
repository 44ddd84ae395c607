"""Where operations come from: the torch operation and the line of the model's source behind each.

A torch operation that goes through torch-mlir's lowering becomes several that no longer say what they were.
`mark` keeps its name as a named location, which every pass carries on.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from octavo.mlir import ir

_SHOWN = 5
_TORCH = "torch."


@dataclass(frozen=True, slots=True)
class Origin:
    """A torch operation by name, and the innermost line of its source, as `"file":line:column`."""

    name: str
    line: str


def mark(op: ir.Operation) -> None:
    """Note the torch operation `op` in its location."""
    op.location = ir.Location.name(_name(op), op.location)


def origin(op: ir.Operation) -> Origin | None:
    """The torch operation that `op` is, or was when `mark` saw it; None for any other."""
    named = _marked(op.location)
    if named is not None:
        return Origin(named.name_str, _source_line(named.child_loc))
    if op.name.startswith(_TORCH):
        return Origin(_name(op), _source_line(op.location))
    return None


def unlifted_report(origins: Iterable[Origin]) -> str:
    """Say which torch operations no pass lifts, where they stand in the model's source, and what to do."""
    left = list(origins)
    lines = [f"  '{each.name}' at {each.line}" for each in left[:_SHOWN]]
    more = f"\n  and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    return (
        f"no lifting for {len(left)} operations of this model:\n" + "\n".join(lines) + more + "\n"
        "Write it with operations that lift ('octavo-opt --list-passes' says which), or add a 'lift-' pass "
        "that recognises it (CONTRIBUTING.md, 'Add a pass')."
    )


def _name(op: ir.Operation) -> str:
    """The operation's name; of an operator that the torch dialect has no operation for, its own."""
    return str(op.attributes["name"].value) if op.name == "torch.operator" else op.name


def _marked(location: ir.Location) -> ir.Location | None:
    """The first location that `mark` made in `location`; operations that were merged have several."""
    if isinstance(location, ir.NameLoc):
        is_ours = location.name_str.startswith(_TORCH)
        return location if is_ours else _marked(location.child_loc)
    parts = location.locations if isinstance(location, ir.FusedLoc) else []
    if isinstance(location, ir.CallSiteLoc):
        parts = [location.callee, location.caller]
    return next((found for part in parts if (found := _marked(part)) is not None), None)


def _source_line(location: ir.Location) -> str:
    """The innermost source line of a location."""
    text: str = str(location).removeprefix("loc(").removesuffix(")")
    return text.partition(" at ")[0].removeprefix("callsite(").strip()
