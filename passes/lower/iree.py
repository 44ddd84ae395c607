"""Operations of IREE's own dialects, which these bindings do not know and print in their generic form."""

from collections.abc import Sequence

from octavo.mlir import ir
from octavo.passes.lower.build import sizes_of


def declare_global(
    name: str, kind: ir.Type, *, is_mutable: bool = False, initial: ir.Attribute | None = None
) -> None:
    """Declare a module-private global variable."""
    attributes = {
        "sym_name": ir.StringAttr.get(name),
        "sym_visibility": ir.StringAttr.get("private"),
        "type": ir.TypeAttr.get(kind),
    }
    if is_mutable:
        attributes["is_mutable"] = ir.UnitAttr.get()
    if initial is not None:
        attributes["initial_value"] = initial
    ir.Operation.create("util.global", attributes=attributes)


def parameter(scope: str, key: str, kind: ir.Type) -> ir.Attribute:
    """The initial value of a global that the runtime finds as `key` in the archive `scope`."""
    path = "::".join(str(ir.StringAttr.get(part)) for part in (scope, key))
    return ir.OpaqueAttr.get("flow", f"parameter.named<{path}>".encode(), kind)


def load_global(name: str, kind: ir.Type) -> ir.Value:
    """Read a global variable."""
    attributes = {"global": ir.FlatSymbolRefAttr.get(name)}
    return ir.Operation.create("util.global.load", results=[kind], attributes=attributes).result


def store_global(name: str, value: ir.Value) -> None:
    """Write a global variable."""
    attributes = {"global": ir.FlatSymbolRefAttr.get(name)}
    ir.Operation.create("util.global.store", operands=[value], attributes=attributes)


def opaque(value: ir.Value) -> ir.Value:
    """`value`, as one that IREE takes for different from every other."""
    return ir.Operation.create("util.optimization_barrier", [value.type], [value]).result


def materialized_input(value: ir.Value) -> ir.Value:
    """A tensor that an operation reads from memory: IREE fuses nothing into it and moves no reshape past."""
    return _barrier("start", value)


def materialized_result(value: ir.Value) -> ir.Value:
    """A tensor that an operation leaves in memory, fused with none of its readers, in the shape it has."""
    return _barrier("end", value)


def _barrier(kind: str, value: ir.Value) -> ir.Value:
    dynamic = [size for size in sizes_of(value) if not isinstance(size, int)]
    name = f"iree_tensor_ext.compute_barrier.{kind}"
    return ir.Operation.create(name, [value.type], [value, *dynamic]).result


def scatter(updates: ir.Value, rows: ir.Value, mask: ir.Value, into: ir.Value) -> ir.Value:
    """`into` with its row `rows[i]` replaced by `updates[i]` for each i where `mask[i]`.

    Operands: updates `[n, d]`; rows `[n]`, i32, distinct where masked in; mask `[n]`, i1; into `[m, d]`.
    """
    attributes = {
        "dimension_map": ir.DenseI64ArrayAttr.get([0]),
        "unique_indices": ir.IntegerAttr.get(ir.IntegerType.get_signless(1), 1),
    }
    operands = [updates, rows, mask, into]
    op = ir.Operation.create(
        "iree_linalg_ext.scatter", [into.type], operands, attributes, regions=1
    )
    _yield_first(op, [into.type.element_type] * 2)
    return op.result


def _yield_first(op: ir.Operation, types: Sequence[ir.Type]) -> None:
    block = op.regions[0].blocks.append(*types)
    with ir.InsertionPoint(block):
        ir.Operation.create("iree_linalg_ext.yield", operands=[block.arguments[0]])
