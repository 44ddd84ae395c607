"""lift-signature: functions of builtin tensors instead of torch tensors."""

from octavo.mlir import ir
from octavo.passes.match import builtin_type, from_builtin, is_torch_tensor, to_builtin
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import apply_patterns, walk


def _lift_arguments(block: ir.Block) -> int:
    num_lifted = 0
    for index in range(len(block.arguments)):
        old = block.arguments[index]
        if not is_torch_tensor(old.type):
            continue
        torch_type = old.type
        old.set_type(builtin_type(torch_type))
        with ir.InsertionPoint.at_block_begin(block):
            cast = from_builtin(old, torch_type)
        old.replace_all_uses_except(cast, cast.owner.operation)
        num_lifted += 1
    return num_lifted


def _lift_results(block: ir.Block) -> int:
    terminator = block.operations[len(block.operations) - 1].operation
    num_lifted = 0
    with ir.InsertionPoint(terminator), terminator.location:
        for index, value in enumerate(terminator.operands):
            if is_torch_tensor(value.type):
                terminator.operands[index] = to_builtin(value)
                num_lifted += 1
    return num_lifted


def _drop_torch_attributes(function: ir.Operation) -> None:
    """Drop what torch-mlir notes on a function about its shapes: it means nothing without torch's types."""
    named = [name for name in function.attributes if name.startswith("torch.")]
    for name in named:
        del function.attributes[name]


def _fold_cast(op: ir.OpView, rewriter: object) -> bool:
    source = op.operands[0].owner
    if isinstance(source, ir.Block) or source.name != "torch_c.from_builtin_tensor":
        return False
    if source.operands[0].type != op.results[0].type:
        return False
    op.results[0].replace_all_uses_with(source.operands[0])
    rewriter.erase(op)  # type: ignore[attr-defined]
    return True


@register_pass("lift-signature")
def lift_signature(module: ir.Operation) -> int:
    """Give functions builtin tensors as arguments and results, and drop casts back and forth.

    Before:
        func.func @main(%x: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32>
    After:
        func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32>
    """
    num_lifted = 0
    for op in walk(module):
        if op.name != "func.func" or not op.regions[0].blocks:
            continue
        block = op.regions[0].blocks[0]
        num_lifted += _lift_arguments(block) + _lift_results(block)
        terminator = block.operations[len(block.operations) - 1]
        inputs = [argument.type for argument in block.arguments]
        outputs = [value.type for value in terminator.operands]
        _drop_torch_attributes(op)
        op.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs))
    return num_lifted + apply_patterns(module, {"torch_c.to_builtin_tensor": _fold_cast})
