"""lower-weights: parameters become globals that the runtime fills from the weight archive."""

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.lower.iree import declare_global, load_global, parameter
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

# The archive's name among the parameter providers of a program, agreed with the runtime.
ARCHIVE_SCOPE = "model"


@register_pass("lower-weights")
def lower_weights(module: ir.Operation) -> int:
    """Turn each `llm.weight` into a load of a global that the archive's tensor of its name fills.

    There is one global for each name, however many functions read it.

    Before:  %w = llm.weight {key = "norm.weight"}
    After:   util.global private @weight.norm.weight = #flow.parameter.named<"model"::"norm.weight">
             %w = util.global.load @weight.norm.weight

    Raises:
        PassError: one name is used with two types.
    """
    types: dict[str, ir.Type] = {}
    weights = [op for op in walk(module) if op.name == "llm.weight"]
    for op in weights:
        key, kind = op.opview.key.value, op.results[0].type
        if types.setdefault(key, kind) != kind:
            raise PassError(
                f"weight '{key}' is {types[key]} in one place and {kind} at {op.location}: "
                "expected one type for one name"
            )
        with ir.InsertionPoint(op), op.location:
            op.results[0].replace_all_uses_with(load_global(weight_symbol(key), kind))
        op.erase()
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]), module.location:
        for key, kind in types.items():
            declare_global(weight_symbol(key), kind, initial=parameter(ARCHIVE_SCOPE, key, kind))
    return len(weights)


def weight_symbol(key: str) -> str:
    """Name of the global that holds the weight `key`."""
    return f"weight.{key}"
