"""paginate-kv: the stateless causal model becomes a step over a paged cache."""

from dataclasses import dataclass
from typing import Any

from octavo.dialects.llm import AttentionOp, KVWriteOp, LastTokenOp, PagedAttentionOp, PositionsOp
from octavo.errors import PassError
from octavo.mlir import arith, ir
from octavo.passes.functions import function_named, only_block, terminator
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import Rewriter, walk
from octavo.passes.tensor_ops import DYNAMIC

STATE = "llm.state"  # argument and result attribute: the name of a piece of state


@dataclass(frozen=True, slots=True)
class PaginateOptions:
    """Options of paginate-kv.

    Attributes:
        block_size: tokens in a block of the cache.
    """

    block_size: int = 16


@dataclass(frozen=True, slots=True)
class _StepInputs:
    """The row vectors and the block table that every attention of the step reads."""

    table: ir.Value
    start: ir.Value
    lens: ir.Value


def _check_signature(block: ir.Block) -> None:
    i32 = ir.IntegerType.get_signless(32)
    types = [argument.type for argument in block.arguments]
    is_model = len(types) == 2 and all(
        _has_rank(type_, 2) and type_.element_type == i32 for type_ in types
    )
    if not is_model:
        listed = ", ".join(map(str, types))
        raise PassError(
            f"function 'main' takes ({listed}): expected tokens and positions, both [b, t] i32. "
            "A model that is to be served takes its positions as an input."
        )
    results = [value.type for value in terminator(block).operands]
    if len(results) != 1 or not _has_rank(results[0], 3):
        listed = ", ".join(map(str, results))
        raise PassError(
            f"function 'main' returns ({listed}): expected the logits alone, [b, t, vocab]"
        )


def _has_rank(type_: ir.Type, rank: int) -> bool:
    return isinstance(type_, ir.RankedTensorType) and type_.rank == rank


def _check_attention(op: AttentionOp) -> None:
    is_self = op.q.type.shape[1] == op.k.type.shape[1]
    if not op.causal.value or op.mask is not None or not is_self:
        raise PassError(
            f"'llm.attention' at {op.location} cannot be paged: expected causal self-attention without an "
            f"explicit mask, got {'a mask' if op.mask is not None else f'causal = {op.causal}'}"
        )


def _pool_type(value: ir.Value, block_size: int) -> ir.RankedTensorType:
    _, _, num_kv_heads, head_dim = value.type.shape
    shape = [DYNAMIC, num_kv_heads, block_size, head_dim]
    return ir.RankedTensorType.get(shape, value.type.element_type)


def _page_attention(
    op: AttentionOp, inputs: _StepInputs, pools: tuple[ir.Value, ir.Value], rewriter: Rewriter
) -> list[ir.Value]:
    """Replace one attention; return the updated pools."""
    row = (inputs.table, inputs.start, inputs.lens)
    with ir.InsertionPoint(op), op.location:
        written = [
            KVWriteOp(pool, new, *row, pool.type).out
            for pool, new in zip(pools, (op.k, op.v), strict=True)
        ]
        paged = PagedAttentionOp(
            op.q, *written, *row, op.out.type, scale=op.scale, window=op.window, softcap=op.softcap
        )
    rewriter.replace(op, [paged.out])
    return written


def _state_attributes(names: list[str | None]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get(
        [
            ir.DictAttr.get({} if name is None else {STATE: ir.StringAttr.get(name)})
            for name in names
        ]
    )


def _replace_positions(block: ir.Block, inputs: _StepInputs) -> None:
    tokens, positions = block.arguments[0], block.arguments[1]
    with ir.InsertionPoint.at_block_begin(block):
        computed = PositionsOp(tokens, inputs.start, inputs.lens, tokens.type)
    positions.replace_all_uses_with(computed.out)
    block.erase_argument(1)


def _add_step_inputs(block: ir.Block, location: ir.Location) -> _StepInputs:
    i32 = ir.IntegerType.get_signless(32)
    batch = block.arguments[0].type.shape[0]
    row = ir.RankedTensorType.get([batch], i32)
    table = ir.RankedTensorType.get([batch, DYNAMIC], i32)
    start, lens, blocks = (block.add_argument(type_, location) for type_ in (row, row, table))
    return _StepInputs(table=blocks, start=start, lens=lens)


def _finish(function: Any, outputs: list[ir.Value], lens: ir.Value, names: list[str]) -> None:
    """Return the last tokens' logits and the updated pools, and give the function its new type."""
    block = only_block(function)
    ret = terminator(block)
    logits = ret.operands[0]
    batch, _, vocab = logits.type.shape
    with ir.InsertionPoint(ret), ret.location:
        last_type = ir.RankedTensorType.get([batch, vocab], logits.type.element_type)
        last = _as_f32(LastTokenOp(logits, lens, last_type).out)
        ir.Operation.create("func.return", operands=[last, *outputs])
    ret.erase()
    inputs = [argument.type for argument in block.arguments]
    results = [last.type, *(value.type for value in outputs)]
    attributes = function.attributes
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
    attributes["sym_name"] = ir.StringAttr.get("step")
    attributes["arg_attrs"] = _state_attributes([None] * (len(inputs) - len(names)) + names)
    attributes["res_attrs"] = _state_attributes([None, *names])


def _as_f32(logits: ir.Value) -> ir.Value:
    """Logits leave the step in f32 whatever the model's type, so that samplers need to know one type."""
    f32 = ir.F32Type.get()
    if logits.type.element_type == f32:
        return logits
    return arith.ExtFOp(ir.RankedTensorType.get(logits.type.shape, f32), logits).result


@register_pass("paginate-kv", options=PaginateOptions)
def paginate_kv(module: ir.Operation, options: PaginateOptions) -> int:
    """Turn `main(tokens, positions)` into `step(tokens, start, lens, table, pools...)`.

    Each `llm.attention` becomes a write of its keys and values into two pools and an attention over their
    pages. Pools come as arguments and go as results, each named by `llm.state`. Positions are computed from
    `start` and `lens`. The result is the logits after each row's last token.

    Before:
        func @main(%tokens, %positions) { ... %o = "llm.attention"(%q, %k, %v) ... return %logits }
    After:
        func @step(%tokens, %start, %lens, %table, %k_pool {llm.state = "layer0.k"}, ...) {
          %k1 = "llm.kv_write"(%k_pool, %k, %table, %start, %lens)
          %o = "llm.paged_attention"(%q, %k1, %v1, %table, %start, %lens)
          return "llm.last_token"(%logits, %lens), %k1, %v1
    """
    if options.block_size < 1:
        raise PassError(f"expected a positive block-size, got {options.block_size}")
    function = function_named(module, "main")
    if function is None:
        raise PassError("no function 'main' with a body to paginate")
    block = only_block(function)
    _check_signature(block)
    attentions = [op.opview for op in walk(function) if op.name == AttentionOp.OPERATION_NAME]
    for op in attentions:
        _check_attention(op)

    inputs = _add_step_inputs(block, function.location)
    _replace_positions(block, inputs)
    rewriter = Rewriter()
    outputs: list[ir.Value] = []
    names: list[str] = []
    for layer, op in enumerate(attentions):
        pools = (
            block.add_argument(_pool_type(op.k, options.block_size), op.location),
            block.add_argument(_pool_type(op.v, options.block_size), op.location),
        )
        outputs += _page_attention(op, inputs, pools, rewriter)
        names += [f"layer{layer}.k", f"layer{layer}.v"]
    _finish(function, outputs, inputs.lens, names)
    return len(attentions)
