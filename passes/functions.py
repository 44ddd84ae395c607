"""The functions of a module as most passes need them: found by name, one block that ends in a return."""

from collections.abc import Iterator

from octavo.errors import PassError
from octavo.mlir import ir


def defined_functions(module: ir.Operation) -> list[ir.Operation]:
    """Every `func.func` that has a body, also in nested modules; declarations are left out."""
    return [op for op in _functions(module) if len(op.regions[0].blocks)]


def function_named(module: ir.Operation, name: str) -> ir.Operation | None:
    """The `func.func` called `name` that has a body, or None."""
    named = (op for op in defined_functions(module) if function_name(op) == name)
    return next(named, None)


def function_name(function: ir.Operation) -> str:
    """The name of a function, without its `@`."""
    name: str = ir.StringAttr(function.attributes["sym_name"]).value
    return name


def _functions(module: ir.Operation) -> Iterator[ir.Operation]:
    # Not `walk`, which would look at every operation of every body.
    for op in (each.operation for block in module.regions[0].blocks for each in block.operations):
        if op.name == "func.func":
            yield op
        elif op.name == "builtin.module":
            yield from _functions(op)


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
