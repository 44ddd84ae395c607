"""specialize-buckets: one entry point of fixed sizes for each bucket."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from octavo.config import Bucket
from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.functions import function_named, only_block
from octavo.passes.refine import refine_function
from octavo.passes.registry import register_pass
from octavo.passes.tensor_ops import DYNAMIC


class Buckets(tuple[Bucket, ...]):
    """A list of buckets that a pipeline's text spells `1x1+8x1+1x128`: rows x tokens."""

    __slots__ = ()

    def __new__(cls, buckets: str | Iterable[Bucket]) -> "Buckets":
        """Parse text, or take buckets as they are; sorted, without repeats.

        Raises:
            ValueError: the text is malformed, or a size is not positive.
        """
        parsed = map(_parse, buckets.split("+")) if isinstance(buckets, str) else buckets
        return super().__new__(cls, sorted(set(parsed)))

    def __str__(self) -> str:
        """The text that parses to this list."""
        return "+".join(f"{bucket.batch}x{bucket.num_tokens}" for bucket in self)


def _parse(text: str) -> Bucket:
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text)
    if match is None:
        raise ValueError(f"expected rows x tokens such as 8x1, got '{text}'")
    return Bucket(int(match[1]), int(match[2]))


_SMALLEST = Buckets("1x1")


@dataclass(frozen=True, slots=True)
class BucketOptions:
    """Options of specialize-buckets.

    Attributes:
        buckets: sizes to make entry points for.
    """

    buckets: Buckets = _SMALLEST


def _check_signature(function: ir.Operation) -> None:
    i32 = ir.IntegerType.get_signless(32)
    types = [argument.type for argument in only_block(function).arguments]
    ranks = [
        type_.rank
        for type_ in types[:4]
        if isinstance(type_, ir.RankedTensorType) and type_.element_type == i32
    ]
    if ranks != [2, 1, 1, 2]:
        raise PassError(
            f"function 'step' at {function.location} takes ({', '.join(map(str, types))}): expected tokens "
            "[b, t], start [b], lens [b] and table [b, m], all i32, then pools, as paginate-kv makes it"
        )


def _argument_types(function: ir.Operation, bucket: Bucket) -> Sequence[ir.Type]:
    """Types of `(tokens, start, lens, table, pools...)` for a bucket; pools keep theirs."""
    pools = [argument.type for argument in only_block(function).arguments][4:]
    i32 = ir.IntegerType.get_signless(32)
    row = ir.RankedTensorType.get([bucket.batch], i32)
    return [
        ir.RankedTensorType.get([bucket.batch, bucket.num_tokens], i32),
        row,
        row,
        ir.RankedTensorType.get([bucket.batch, DYNAMIC], i32),
        *pools,
    ]


def _specialize(function: ir.Operation, bucket: Bucket) -> None:
    types = _argument_types(function, bucket)
    with ir.InsertionPoint(function):
        clone = function.clone().operation
    clone.attributes["sym_name"] = ir.StringAttr.get(bucket.entry_point)
    refine_function(clone, types)


@register_pass("specialize-buckets", options=BucketOptions)
def specialize_buckets(module: ir.Operation, options: BucketOptions) -> int:
    """Clone `step` for each bucket with fixed numbers of rows and tokens; erase the original.

    The width of the block table and the number of blocks stay dynamic.

    Before:
        func @step(%tokens: tensor<?x?xi32>, %start: tensor<?xi32>, ...)
    After:
        func @step_b8_t1(%tokens: tensor<8x1xi32>, %start: tensor<8xi32>, ...)
        func @step_b1_t128(%tokens: tensor<1x128xi32>, %start: tensor<1xi32>, ...)
    """
    step = function_named(module, "step")
    if step is None:
        raise PassError("no function 'step' to specialize: run paginate-kv first")
    _check_signature(step)
    for bucket in options.buckets:
        _specialize(step, bucket)
    step.erase()
    return len(options.buckets)
