"""Attention as plain loops: scores, a masked softmax in f32, the weighted sum of values.

IREE's attention operation is not used. With lengths that are known only at run time it does not compile for
Vulkan and Metal, and the form it decomposes into computes wrong numbers on CUDA.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from octavo.mlir import arith, ir, math
from octavo.passes.lower.build import Body, Size, filled, generic, parallel
from octavo.passes.lower.scalar import LOWEST, f32, multiply_add, narrowed, real, softcap

# The loops over scores: batch row, key-value head, query head of its group, query token, key token.
SCORE_AXES = "bhgts"
QUERY_AXIS, KEY_AXIS = 3, 4

Read = tuple[ir.Value, str]


@dataclass(frozen=True, slots=True)
class Scores:
    """How the product of a query and a key becomes a score.

    Attributes:
        scale: factor of the product.
        softcap: bound c of the score, `c tanh(x / c)`.
        mask: body over `SCORE_AXES`: from a score, and a scalar of each input, to that score or `LOWEST`.
        inputs: tensors that the mask reads, with their axes.
    """

    scale: float
    softcap: float | None
    mask: Body
    inputs: Sequence[Read]


def attend(q: Read, k: Read, v: Read, sizes: dict[str, Size], how: Scores) -> ir.Value:
    """`softmax(mask(softcap(scale q k^T))) v`; 0 for a query whose scores are all masked.

    Args:
        q: float tensor over the axes b, h, g, t, d in any order.
        k: over b, h, s, d. v: over b, h, s, e.
        sizes: of all these axes.
        how: scale, cap and mask of the scores.

    Returns:
        `[b, t, h, g, e]`, of q's element type.
    """
    scores = _scores(q, k, sizes, how)
    rows = [sizes[axis] for axis in "bhgt"]
    peaks = generic(
        SCORE_AXES, [(scores, SCORE_AXES)], filled(rows, real(LOWEST)), "bhgt", arith.maximumf
    )
    weights = parallel(
        SCORE_AXES,
        [(scores, SCORE_AXES), (peaks, "bhgt")],
        [sizes[axis] for axis in SCORE_AXES],
        f32(),
        lambda score, peak: math.exp(arith.subf(score, peak)),
    )
    totals = generic(SCORE_AXES, [(weights, SCORE_AXES)], filled(rows, real(0)), "bhgt", arith.addf)
    zeros = filled([*rows, sizes["e"]], real(0))
    sums = generic("bhgtes", [(weights, SCORE_AXES), v], zeros, "bhgte", multiply_add)
    return _normalized(sums, totals, peaks, sizes, q[0].type.element_type)


def _scores(q: Read, k: Read, sizes: dict[str, Size], how: Scores) -> ir.Value:
    shape = [sizes[axis] for axis in SCORE_AXES]
    products = generic("bhgtsd", [q, k], filled(shape, real(0)), SCORE_AXES, multiply_add)

    def body(product: ir.Value, *scalars: ir.Value) -> ir.Value:
        score = arith.mulf(product, real(how.scale))
        if how.softcap is not None:
            score = softcap(score, how.softcap)
        return how.mask(score, *scalars)

    return parallel(SCORE_AXES, [(products, SCORE_AXES), *how.inputs], shape, f32(), body)


def _normalized(
    sums: ir.Value, totals: ir.Value, peaks: ir.Value, sizes: dict[str, Size], element: ir.Type
) -> ir.Value:
    def body(value: ir.Value, total: ir.Value, peak: ir.Value) -> ir.Value:
        sees_nothing = arith.cmpf(arith.CmpFPredicate.OLE, peak, real(LOWEST))
        mean = arith.divf(value, total)
        return narrowed(arith.select(sees_nothing, real(0), mean), element)

    inputs = [(sums, "bhgte"), (totals, "bhgt"), (peaks, "bhgt")]
    return parallel("bthge", inputs, [sizes[axis] for axis in "bthge"], element, body)
