"""eliminate-dead-code: erase operations whose results nobody reads."""

from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

_PURE_DIALECTS = ("torch.", "torch_c.", "llm.", "arith.", "math.", "tensor.", "linalg.")
_BOOKKEEPING = ("torch.bind_symbolic_shape", "torch.aten._assert_tensor_metadata")


def _is_removable(op: ir.Operation) -> bool:
    if op.name in _BOOKKEEPING:
        return True
    if not op.name.startswith(_PURE_DIALECTS) or not op.results or _is_in_place(op):
        return False
    return not any(True for result in op.results for _ in result.uses)


def _is_in_place(op: ir.Operation) -> bool:
    """Whether a torch operation writes to an operand: those names end in an underscore."""
    dialect, _, rest = str(op.name).partition(".aten.")
    return dialect == "torch" and rest.partition(".")[0].endswith("_")


@register_pass("eliminate-dead-code")
def eliminate_dead_code(module: ir.Operation) -> int:
    """Erase unused operations, also torch's, which tell MLIR nothing about their effects.

    Before:
        %unused = torch.aten.mul.Tensor %x, %y
    After:
        (nothing)
    """
    num_erased = 0
    for op in reversed(list(walk(module))):
        if _is_removable(op):
            op.erase()
            num_erased += 1
    return num_erased
