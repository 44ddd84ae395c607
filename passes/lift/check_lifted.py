"""check-lifted: nothing of torch is left."""

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

_SHOWN = 5


def _source_line(location: ir.Location) -> str:
    """The innermost source line of a location."""
    text = str(location).removeprefix("loc(").removesuffix(")")
    return text.partition(" at ")[0].removeprefix("callsite(").strip()


@register_pass("check-lifted")
def check_lifted(module: ir.Operation) -> int:
    """Fail on any torch operation or type that is left, naming it and its line in the model's source."""
    left = [op for op in walk(module) if op.name.startswith(("torch.", "torch_c."))]
    computing = [op for op in left if not op.name.startswith(("torch.constant.", "torch.prim.", "torch_c."))]
    shown = computing or left
    if not shown:
        return 0
    lines = [f"  '{op.name}' at {_source_line(op.location)}" for op in shown[:_SHOWN]]
    more = f"\n  and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    raise PassError(
        f"no lifting for {len(shown)} operations of this model:\n" + "\n".join(lines) + more + "\n"
        "Write it with operations that lift (docs/dialect.md lists them), or add a 'lift-' pass that "
        "recognises it and load it with --load."
    )
