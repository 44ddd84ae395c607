"""The functions of a module as most passes need them: found by name, one block that ends in a return."""

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.rewriter import walk


def defined_functions(module: ir.Operation) -> list[ir.Operation]:
    """Every `func.func` that has a body; declarations are left out."""
    return [op for op in walk(module) if op.name == "func.func" and len(op.regions[0].blocks)]


def function_named(module: ir.Operation, name: str) -> ir.Operation | None:
    """The `func.func` called `name` that has a body, or None."""
    named = (op for op in defined_functions(module) if function_name(op) == name)
    return next(named, None)


def function_name(function: ir.Operation) -> str:
    """The name of a function, without its `@`."""
    name: str = ir.StringAttr(function.attributes["sym_name"]).value
    return name


def only_block(function: ir.Operation) -> ir.Block:
    """The body of a function without control flow between blocks, which is all that Octavo makes.

    Raises:
        PassError: it has several blocks.
    """
    blocks = list(function.regions[0].blocks)
    if len(blocks) != 1:
        raise PassError(
            f"function '{function_name(function)}' at {function.location}: expected a body of one block, "
            f"got {len(blocks)}"
        )
    return blocks[0]


def terminator(block: ir.Block) -> ir.Operation:
    """The last operation of a block."""
    last: ir.Operation = block.operations[len(block.operations) - 1].operation
    return last
