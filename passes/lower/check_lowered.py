"""check-lowered: nothing is left that IREE does not know."""

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

# The dialects of IREE's input, and its own.
_KNOWN = frozenset(
    "arith builtin cf flow func hal iree_codegen iree_linalg_ext iree_tensor_ext linalg math scf stream tensor util vector".split()
)


@register_pass("check-lowered")
def check_lowered(module: ir.Operation) -> int:
    """Fail unless every operation belongs to a dialect that IREE compiles; change nothing.

    Raises:
        PassError: names the operations that are left, and the location of the first of each.
    """
    left: dict[str, ir.Operation] = {}
    for op in walk(module):
        if op.name.partition(".")[0] not in _KNOWN:
            left.setdefault(op.name, op)
    if left:
        raise PassError(
            "operations that IREE does not know are left after lowering:\n"
            + "\n".join(f"  '{name}' at {op.location}" for name, op in left.items())
            + "\nExpected only " + ...
        )
    return 0
