"""lift-signature: functions of builtin tensors instead of torch tensors."""

from typing import Any

from octavo.mlir import ir
from octavo.passes.functions import defined_functions, only_block, terminator
from octavo.passes.match import (
    builtin_type,
    definer,
    from_builtin,
    is_torch_tensor,
    match_if,
    pattern,
    to_builtin,
)
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, apply_patterns


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


def _lift_results(ret: ir.Operation) -> int:
    num_lifted = 0
    with ir.InsertionPoint(ret), ret.location:
        for index, value in enumerate(ret.operands):
            if is_torch_tensor(value.type):
                ret.operands[index] = to_builtin(value)
                num_lifted += 1
    return num_lifted


def _drop_torch_attributes(function: ir.Operation) -> None:
    """Drop what torch-mlir notes on a function about its shapes: it means nothing without torch's types."""
    named = [name for name in function.attributes if name.startswith("torch.")]
    for name in named:
        del function.attributes[name]


@pattern
def _fold_cast(op: Any, rewriter: Rewriter) -> None:
    source = definer(op.operands[0], "torch_c.from_builtin_tensor").operands[0]
    match_if(source.type == op.results[0].type)
    rewriter.replace(op, [source])


@register_pass("lift-signature")
def lift_signature(module: ir.Operation) -> int:
    """Give functions builtin tensors as arguments and results, and drop casts back and forth.

    Before:
        func.func @main(%x: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32>
    After:
        func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32>
    """
    num_lifted = 0
    for op in defined_functions(module):
        block = only_block(op)
        ret = terminator(block)
        num_lifted += _lift_arguments(block) + _lift_results(ret)
        inputs = [argument.type for argument in block.arguments]
        outputs = [value.type for value in ret.operands]
        _drop_torch_attributes(op)
        op.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs))
    return num_lifted + apply_patterns(module, {"torch_c.to_builtin_tensor": _fold_cast})
