"""check-lifted: nothing of torch is left."""

from collections.abc import Sequence

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

_SHOWN = 5


def _source_line(location: ir.Location) -> str:
    """The innermost source line of a location."""
    text: str = str(location).removeprefix("loc(").removesuffix(")")
    return text.partition(" at ")[0].removeprefix("callsite(").strip()


def _is_computing(op: ir.Operation) -> bool:
    """Whether `op` makes a tensor from others, rather than a constant, a list or a size for them."""
    is_input = op.name.startswith(("torch.constant.", "torch.prim.", "torch.vtensor.", "torch_c."))
    return not is_input and any("vtensor" in str(result.type) for result in op.results)


def _name(op: ir.Operation) -> str:
    """The operation's name; of an operator that the torch dialect has no operation for, its own."""
    return str(op.attributes["name"].value) if op.name == "torch.operator" else op.name


def unlifted_report(left: Sequence[ir.Operation]) -> str:
    """Say which operations are left, where they stand in the model's source, and what to do."""
    shown = [op for op in left if _is_computing(op)] or left
    lines = [f"  '{_name(op)}' at {_source_line(op.location)}" for op in shown[:_SHOWN]]
    more = f"\n  and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return (
        f"no lifting for {len(shown)} operations of this model:\n" + "\n".join(lines) + more + "\n"
        "Write it with operations that lift ('octavo-opt --list-passes' says which), or add a 'lift-' pass "
        "that recognises it (CONTRIBUTING.md, 'Add a pass')."
    )


@register_pass("check-lifted")
def check_lifted(module: ir.Operation) -> int:
    """Fail on any torch operation that is left, naming it and its line in the model's source."""
    left = [op for op in walk(module) if op.name.startswith(("torch.", "torch_c."))]
    if left:
        raise PassError(unlifted_report(left))
    return 0
