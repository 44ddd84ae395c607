"""Attention as plain loops: scores, a masked softmax in f32, the weighted sum of values.

IREE's attention operation is not used. With lengths that are known only at run time it does not compile for
Vulkan and Metal, and the form it decomposes into computes wrong numbers on CUDA.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from octavo.mlir import arith, ir, math, tensor
from octavo.passes.lower.build import Body, Size, filled, generic, parallel, size_of, sizes_of
from octavo.passes.lower.scalar import LOWEST, f32, narrowed, real, softcap, widened

# The loops: batch row, key-value head, query head of its group, query token, key token.
SCORE_AXES = "bhgts"


@dataclass(frozen=True, slots=True)
class Scores:
    """How the product of a query and a key becomes a score.

    Attributes:
        scale: factor of the product.
        softcap: bound c of the score, `c tanh(x / c)`.
        mask: body over `SCORE_AXES`: from a score, and a scalar of each input, to the score or `LOWEST`.
        inputs: tensors that the mask reads, with their axes.
    """

    scale: float
    softcap: float | None
    mask: Body
    inputs: Sequence[tuple[ir.Value, str]]


def attend(q: ir.Value, k: ir.Value, v: ir.Value, how: Scores) -> ir.Value:
    """`softmax(mask(scale q k^T)) v`; 0 for a query whose scores are all masked.

    Args:
        q: `[b, h, g, t, d]`, k: `[b, h, s, d]`, v: `[b, h, s, e]`, float.
        how: scale, cap and mask of the scores.

    Returns:
        `[b, t, h, g, e]`, of q's element type.
    """
    batch, heads, group, tokens, _ = sizes_of(q)
    rows: list[Size] = [batch, heads, group, tokens]
    scores = _scores(q, k, [*rows, size_of(k, 2)], how)
    peaks = generic(
        "bhgts", [(scores, "bhgts")], filled(rows, real(LOWEST)), "bhgt", arith.maxnumf
    )
    weights = parallel(
        "bhgts", [(scores, "bhgts"), (peaks, "bhgt")], sizes_of(scores), f32(), _weight
    )
    totals = generic("bhgts", [(weights, "bhgts")], filled(rows, real(0)), "bhgt", arith.addf)
    sums = generic(
        "bhgtes",
        [(weights, "bhgts"), (v, "bhse")],
        filled([*rows, size_of(v, 3)], real(0)),
        "bhgte",
        _multiply_add,
    )
    element = q.type.element_type
    return parallel(
        "bthge",
        [(sums, "bhgte"), (totals, "bhgt")],
        [batch, tokens, heads, group, size_of(v, 3)],
        element,
        lambda value, total: narrowed(_quotient(value, total), element),
    )


def _scores(q: ir.Value, k: ir.Value, sizes: Sequence[Size], how: Scores) -> ir.Value:
    products = generic(
        "bhgtsd", [(q, "bhgtd"), (k, "bhsd")], filled(sizes, real(0)), "bhgts", _multiply_add
    )

    def body(product: ir.Value, *scalars: ir.Value) -> ir.Value:
        score = arith.mulf(product, real(how.scale))
        if how.softcap is not None:
            score = softcap(score, how.softcap)
        return how.mask(score, *scalars)

    return parallel("bhgts", [(products, "bhgts"), *how.inputs], sizes, f32(), body)


def _multiply_add(left: ir.Value, right: ir.Value, total: ir.Value) -> ir.Value:
    return arith.addf(total, arith.mulf(widened(left), widened(right)))


def _weight(score: ir.Value, peak: ir.Value) -> ir.Value:
    # "Not above" is false for NaN, which must stay visible.
    is_masked = arith.cmpf(arith.CmpFPredicate.OLE, score, real(LOWEST))
    return arith.select(is_masked, real(0), math.exp(arith.subf(score, peak)))


def _quotient(value: ir.Value, total: ir.Value) -> ir.Value:
    sees_nothing = arith.cmpf(arith.CmpFPredicate.OEQ, total, real(0))
    return arith.select(sees_nothing, real(0), arith.divf(value, total))
