"""A greedy rewriter that cannot crash the process.

MLIR's own Python rewriter ends the process when a replacement has the wrong number of values or an erased
operation still has uses, and takes "True" for "no match". This one works through the checked bindings, and
says what was wrong.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from octavo.errors import PassError
from octavo.mlir import address_of, ir

Pattern = Callable[[Any, "Rewriter"], bool]
_MAX_SWEEPS = 32


class Rewriter:
    """Replaces and erases operations with checks, and counts what it did."""

    def __init__(self) -> None:
        """Start with nothing changed."""
        self.num_rewrites = 0
        self._erased: set[int] = set()

    def begin_sweep(self) -> None:
        """Forget erased operations: a new one may stand at an old one's address."""
        self._erased.clear()

    def is_erased(self, address: int) -> bool:
        """Whether the operation that stood at `address` was erased in this sweep."""
        return address in self._erased

    def replace(self, op: Any, values: Sequence[ir.Value]) -> None:
        """Replace the results of `op` by `values` and erase it.

        Raises:
            PassError: the number or a type of `values` differs from the results, or one is such a result.
        """
        operation = op.operation
        types = [result.type for result in operation.results]
        got = [value.type for value in values]
        if types != got:
            raise PassError(
                f"replacement of '{operation.name}' at {operation.location}: "
                f"expected values of types {_listed(types)}, got {_listed(got)}"
            )
        if any(value in operation.results for value in values):
            raise PassError(
                f"replacement of '{operation.name}' at {operation.location}: "
                "expected other values, got a result of the operation itself"
            )
        for result, value in zip(operation.results, values, strict=True):
            result.replace_all_uses_with(value)
        self.erase(op)

    def erase(self, op: Any) -> None:
        """Erase `op` and what its regions hold.

        Raises:
            PassError: a result is still used.
        """
        operation = op.operation
        for index, result in enumerate(operation.results):
            for use in result.uses:
                raise PassError(
                    f"cannot erase '{operation.name}' at {operation.location}: "
                    f"result {index} is used by '{use.owner.operation.name}'"
                )
        self._erased.update(address_of(each) for each in (operation, *walk(operation)))
        operation.erase()


def apply_patterns(root: ir.Operation, patterns: Mapping[str, Pattern | Sequence[Pattern]]) -> int:
    """Apply patterns everywhere under `root` until none matches; return the number of rewrites.

    Args:
        root: the module's operation.
        patterns: by operation name; a pattern gets the operation and the rewriter, inserts before the
            operation and at its location, and returns whether it changed anything.

    Raises:
        PassError: the patterns keep matching each other's results.
    """
    rewriter = Rewriter()
    for _ in range(_MAX_SWEEPS):
        rewriter.begin_sweep()
        if not _sweep(root, patterns, rewriter):
            return rewriter.num_rewrites
    raise PassError(f"the patterns of {', '.join(patterns)} still match after {_MAX_SWEEPS} sweeps")


def _sweep(
    root: ir.Operation, patterns: Mapping[str, Pattern | Sequence[Pattern]], rewriter: Rewriter
) -> bool:
    before = rewriter.num_rewrites
    candidates = [(address_of(op), op) for op in walk(root) if op.name in patterns]
    for address, op in candidates:
        if rewriter.is_erased(address):
            continue
        found = patterns[op.name]
        for pattern in [found] if callable(found) else found:
            with ir.InsertionPoint(op), op.location:
                matched = pattern(op.opview, rewriter)
            if matched:
                rewriter.num_rewrites += 1
                break
    return rewriter.num_rewrites != before


def walk(root: ir.Operation) -> Iterator[ir.Operation]:
    """Every operation under `root`, in order, parents before children; not `root` itself."""
    for region in root.regions:
        for block in region.blocks:
            for view in block.operations:
                op = view.operation
                yield op
                if len(op.regions):
                    yield from walk(op)


def _listed(types: Sequence[ir.Type]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"
