"""check-lifted: nothing of torch is left."""

from collections.abc import Iterable

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.origin import Origin, origin, unlifted_report
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk


def _is_computing(op: ir.Operation) -> bool:
    """Whether `op` makes a tensor from others, rather than a constant, a list or a size for them."""
    is_input = op.name.startswith(("torch.constant.", "torch.prim.", "torch.vtensor.", "torch_c."))
    return not is_input and any("vtensor" in str(result.type) for result in op.results)


def unlifted(left: Iterable[ir.Operation]) -> list[Origin]:
    """The torch operations among `left` that are worth a line: those that compute, if any does."""
    left = list(left)
    shown = [op for op in left if _is_computing(op)] or left
    return [each for op in shown if (each := origin(op)) is not None]


@register_pass("check-lifted")
def check_lifted(module: ir.Operation) -> int:
    """Fail on any torch operation that is left, naming it and its line in the model's source."""
    left = [op for op in walk(module) if op.name.startswith(("torch.", "torch_c."))]
    if left:
        raise PassError(unlifted_report(unlifted(left)))
    return 0
