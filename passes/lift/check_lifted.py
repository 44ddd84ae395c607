"""check-lifted: nothing of torch is left."""

from collections.abc import Sequence

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

_SHOWN = 5


def _source_line(location: ir.Location) -> str:
    """The innermost source line of a location."""
    text = str(location).removeprefix("loc(").removesuffix(")")
    return text.partition(" at ")[0].removeprefix("callsite(").strip()


def unlifted_report(left: Sequence[ir.Operation]) -> str:
    """Say which operations are left, where they stand in the model's source, and what to do."""
    lines = [f"  '{op.name}' at {_source_line(op.location)}" for op in left[:_SHOWN]]
    more = f"\n  and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    return (
        f"no lifting for {len(left)} operations of this model:\n" + "\n".join(lines) + more + "\n"
        "Write it with operations that lift ('octavo-opt --list-passes' says which), or add a 'lift-' pass "
        "that recognises it and load it with --load."
    )


@register_pass("check-lifted")
def check_lifted(module: ir.Operation) -> int:
    """Fail on any torch operation that is left, naming it and its line in the model's source."""
    left = [op for op in walk(module) if op.name.startswith(("torch.", "torch_c."))]
    computing = [
        op for op in left if not op.name.startswith(("torch.constant.", "torch.prim.", "torch_c."))
    ]
    if left:
        raise PassError(unlifted_report(computing or left))
    return 0
