"""legalize-torch: what no lifting knows goes through torch-mlir's own lowering to linalg."""

from octavo.errors import PassError
from octavo.mlir import ir, passmanager
from octavo.passes.lift.check_lifted import unlifted
from octavo.passes.origin import mark, unlifted_report
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

# torch-mlir's stock pipeline ends with a check that no other dialect is there: these are its other passes.
_SIMPLIFY = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=})"
)
_LOWER = (
    "builtin.module(func.func("
    "convert-torch-to-tmtensor,canonicalize,convert-torch-to-linalg,canonicalize,"
    "convert-torch-to-scf,convert-torch-to-arith,convert-torch-to-tensor),"
    "convert-torch-conversion-to-mlprogram,"
    "func.func(canonicalize,resolve-shaped-type-result-dims,cse),"
    "torch-func-backend-type-conversion,"
    "func.func(canonicalize,torch-finalizing-backend-type-conversion),canonicalize,cse)"
)
_NOT_COMPUTING = ("torch.constant.", "torch.prim.")


def _is_computing(op: ir.Operation) -> bool:
    return op.name.startswith("torch.") and not op.name.startswith(_NOT_COMPUTING)


@register_pass("legalize-torch")
def legalize_torch(module: ir.Operation) -> int:
    """Lower the torch operations that are left to linalg, tensor and arith; count them.

    A model of a family that lifts completely has none, and nothing happens. What is made keeps the name
    of its torch operation in its location, for passes that cannot go on with it: see `octavo.passes.origin`.

    Before:
        %y = torch.aten.softmax.int %x, %int-1, %none
    After:
        %m = linalg.generic ... arith.maximumf      %e = linalg.generic ... math.exp
        %s = linalg.generic ... arith.addf          %y = linalg.generic ... arith.divf
    """
    left = [op for op in walk(module) if _is_computing(op)]
    if not left:
        return 0
    report = unlifted_report(unlifted(left))
    for op in left:
        mark(op)  # what becomes of it may have to be named later
    try:
        for pipeline in (_SIMPLIFY, _LOWER):
            passmanager.PassManager.parse(pipeline).run(module)
    except ir.MLIRError as error:
        reason = str(error).splitlines()
        detail = next((line for line in reason if "error:" in line), reason[0])
        raise PassError(f"{report}\ntorch-mlir cannot lower them either: {detail}") from error
    return len(left)
