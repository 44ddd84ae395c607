"""lower-kv-state: the cache's pools move from arguments and results into globals of the module."""

from octavo.errors import PassError
from octavo.mlir import arith, func, ir
from octavo.passes.functions import defined_functions, function_named, only_block, terminator
from octavo.passes.lower.build import filled
from octavo.passes.lower.iree import declare_global, load_global, opaque, store_global
from octavo.passes.lower.scalar import i32, zero
from octavo.passes.optimize.paginate_kv import STATE
from octavo.passes.registry import register_pass

ALLOCATE = "allocate_kv"
BLOCK_SIZE = "llm.block_size"


@register_pass("lower-kv-state")
def lower_kv_state(module: ir.Operation) -> int:
    """Turn `llm.state` arguments and results into mutable globals that every function of the module shares.

    A function loads each of its pools once, where it begins, and stores it once, before it returns: the
    updates between form one chain, which IREE runs in place. `allocate_kv(num_blocks: i32)` is added; it
    (re)creates all pools with that many blocks of zeros, and must run before the first step.

    Before:  func @step(%pool {llm.state = "k"}) -> (tensor {llm.state = "k"}) { ... return %new }
    After:   util.global private mutable @kv.k
             func @step() { %pool = util.global.load @kv.k ... util.global.store %new, @kv.k  return }
             func @allocate_kv(%num_blocks: i32) { ... }

    Raises:
        PassError: a state has two types, or one that is no pool's; a function takes it twice, or returns it
            without taking it; the module has an `allocate_kv` of its own.
    """
    types: dict[str, ir.Type] = {}
    for op in defined_functions(module):
        _lower_function(op.opview, types)
    if types:
        if function_named(module, ALLOCATE) is not None:
            raise PassError(f"the module has a function '{ALLOCATE}', which this pass adds")
        _add_globals(module, types)
    if BLOCK_SIZE in module.attributes:
        del module.attributes[BLOCK_SIZE]  # the pools' types say it
    return len(types)


def _lower_function(function: func.FuncOp, types: dict[str, ir.Type]) -> None:
    arguments = state_names(function, "arg_attrs")
    results = state_names(function, "res_attrs")
    if not any(arguments + results):
        return
    block = only_block(function.operation)
    _check_states(function, arguments, results, types)
    with ir.InsertionPoint.at_block_begin(block), function.location:
        for argument, name in zip(block.arguments, arguments, strict=True):
            if name is not None:
                argument.replace_all_uses_with(load_global(state_symbol(name), argument.type))
    _store_results(terminator(block), results)
    _drop_states(function, arguments, results)


def state_names(function: func.FuncOp, attribute: str) -> list[str | None]:
    """The state that each argument (`arg_attrs`) or result (`res_attrs`) carries, or None."""
    kind = function.type
    count = len(kind.inputs if attribute == "arg_attrs" else kind.results)
    if attribute not in function.attributes:
        return [None] * count
    each = [ir.DictAttr(attributes) for attributes in function.attributes[attribute]]
    return [_state_name(function, attributes) for attributes in each]


def _state_name(function: func.FuncOp, attributes: ir.DictAttr) -> str | None:
    if STATE not in attributes:
        return None
    name = attributes[STATE]
    if not isinstance(name, ir.StringAttr):
        raise PassError(
            f"@{function.name.value} at {function.location} has {STATE} = {name}: expected a name as a string"
        )
    return str(name.value)


def _check_states(
    function: func.FuncOp,
    arguments: list[str | None],
    results: list[str | None],
    types: dict[str, ir.Type],
) -> None:
    signature = [*zip(arguments, function.type.inputs, strict=True)]
    signature += zip(results, function.type.results, strict=True)
    for name, kind in signature:
        if name is not None and types.setdefault(name, kind) != kind:
            raise PassError(
                f"state '{name}' of @{function.name.value} is {kind} at {function.location}: "
                f"expected {types[name]}, its type elsewhere in the module"
            )
    where = f"@{function.name.value} at {function.location}"
    for names, verb in ((arguments, "takes"), (results, "returns")):
        for name in names:
            if name is not None and names.count(name) > 1:
                raise PassError(f"{where} {verb} state '{name}' twice: expected each state once")
    for name in results:
        if name is not None and name not in arguments:
            raise PassError(f"{where} returns state '{name}' but does not take it")
    for name, kind in types.items():
        if not _is_pool(kind):
            raise PassError(
                f"state '{name}' of {where} is {kind}: expected a tensor whose first axis, the number of "
                "blocks, is dynamic, and no other"
            )


def _is_pool(kind: ir.Type) -> bool:
    if not isinstance(kind, ir.RankedTensorType):
        return False
    return [kind.is_dynamic_dim(axis) for axis in range(kind.rank)] == [
        True,
        *[False] * (kind.rank - 1),
    ]


def _store_results(ret: ir.Operation, results: list[str | None]) -> None:
    kept = []
    with ir.InsertionPoint(ret), ret.location:
        for value, name in zip(ret.operands, results, strict=True):
            if name is None:
                kept.append(value)
            else:
                store_global(state_symbol(name), value)
        func.ReturnOp(kept)
    ret.erase()


def _drop_states(
    function: func.FuncOp, arguments: list[str | None], results: list[str | None]
) -> None:
    inputs, outputs = function.type.inputs, function.type.results
    for attribute, names in (("arg_attrs", arguments), ("res_attrs", results)):
        if attribute in function.attributes:
            each = zip(function.attributes[attribute], names, strict=True)
            kept = [attributes for attributes, name in each if name is None]
            function.attributes[attribute] = ir.ArrayAttr.get(kept)
    kind = ir.FunctionType.get(
        [each for each, name in zip(inputs, arguments, strict=True) if name is None],
        [each for each, name in zip(outputs, results, strict=True) if name is None],
    )
    function.attributes["function_type"] = ir.TypeAttr.get(kind)
    for index in reversed(range(len(arguments))):
        if arguments[index] is not None:
            function.entry_block.erase_argument(index)


def _add_globals(module: ir.Operation, types: dict[str, ir.Type]) -> None:
    block = module.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block), module.location:
        for name, kind in types.items():
            declare_global(state_symbol(name), kind, is_mutable=True)
    with ir.InsertionPoint(block), module.location:
        allocate = func.FuncOp(ALLOCATE, ir.FunctionType.get([i32()], []))
        with ir.InsertionPoint(allocate.add_entry_block()):
            num_blocks = arith.index_cast(ir.IndexType.get(), allocate.arguments[0])
            for name, kind in types.items():
                # Equal tensors of zeros would be merged, and then all pools would share one buffer.
                sizes = [opaque(num_blocks), *kind.shape[1:]]
                store_global(state_symbol(name), filled(sizes, zero(kind.element_type)))
            func.ReturnOp([])


def state_symbol(name: str) -> str:
    """Name of the global that holds the state `name`."""
    return f"kv.{name}"
