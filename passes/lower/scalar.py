"""Code on scalars, for the bodies of `linalg.generic`: constants, conversions, functions."""

from math import frexp, pi, sqrt

from octavo.mlir import arith, ir, linalg, math
from octavo.passes.lower.build import Size

# The score of a pair that is masked: the least finite f32, whose difference from another is a number too.
LOWEST = -3.4028234663852886e38

_GREATEST = {"f32": -LOWEST, "f16": 65504.0, "bf16": 3.3895313892515355e38}


def f32() -> ir.Type:
    """The type that statistics and sums are kept in."""
    return ir.F32Type.get()


def i32() -> ir.Type:
    """The type of token ids, block ids, positions and lengths."""
    return ir.IntegerType.get_signless(32)


def i1() -> ir.Type:
    """The type of conditions."""
    return ir.IntegerType.get_signless(1)


def real(value: float) -> ir.Value:
    """An f32 constant."""
    return arith.constant(f32(), float(value))


def integer(value: int) -> ir.Value:
    """An i32 constant."""
    return arith.constant(i32(), value)


def zero(element: ir.Type) -> ir.Value:
    """Zero of a float type."""
    return arith.constant(element, 0.0)


def widened(x: ir.Value) -> ir.Value:
    """A float of at most 32 bits as f32."""
    return x if x.type == f32() else arith.extf(f32(), x)


def narrowed(x: ir.Value, element: ir.Type) -> ir.Value:
    """An f32 as a float type of at most 32 bits."""
    return x if x.type == element else arith.truncf(element, x)


def finite(x: ir.Value) -> ir.Value:
    """`x`, with infinities and NaN replaced by the greatest numbers of its type."""
    # Comparisons, since LLVM turns the minimum of f16 numbers into a call of a library that is not there.
    greatest = _GREATEST[str(x.type)]
    upper, lower = (arith.constant(x.type, bound) for bound in (greatest, -greatest))
    x = arith.select(arith.cmpf(arith.CmpFPredicate.OLT, x, upper), x, upper)
    return arith.select(arith.cmpf(arith.CmpFPredicate.OGT, x, lower), x, lower)


def axis_index(axis: int) -> ir.Value:
    """Where the loop over an axis stands."""
    return linalg.IndexOp(axis).result


def as_i32(x: ir.Value) -> ir.Value:
    """An `index` as an i32."""
    return arith.index_cast(i32(), x)


def as_index(x: ir.Value) -> ir.Value:
    """An i32 as an `index`."""
    return arith.index_cast(ir.IndexType.get(), x)


def bounded(x: ir.Value, size: Size) -> ir.Value:
    """An i32 as an `index` into `size` entries: the nearest there is."""
    last = integer(size - 1) if isinstance(size, int) else arith.subi(as_i32(size), integer(1))
    return as_index(arith.minsi(arith.maxsi(x, integer(0)), last))


def less(x: ir.Value, y: ir.Value) -> ir.Value:
    """`x < y`, signed."""
    return arith.cmpi(arith.CmpIPredicate.slt, x, y)


def not_above(x: ir.Value, y: ir.Value) -> ir.Value:
    """`x <= y`, signed."""
    return arith.cmpi(arith.CmpIPredicate.sle, x, y)


def equal(x: ir.Value, y: ir.Value) -> ir.Value:
    """`x == y`, for integers."""
    return arith.cmpi(arith.CmpIPredicate.eq, x, y)


def multiply_add(left: ir.Value, right: ir.Value, total: ir.Value) -> ir.Value:
    """Body of a product: `total + left * right`, in f32."""
    return arith.addf(total, arith.mulf(widened(left), widened(right)))


def sigmoid(x: ir.Value) -> ir.Value:
    """`1 / (1 + exp(-x))`."""
    return arith.divf(real(1), arith.addf(real(1), math.exp(arith.negf(x))))


def silu(x: ir.Value) -> ir.Value:
    """`x sigmoid(x)`."""
    return arith.divf(x, arith.addf(real(1), math.exp(arith.negf(x))))


def gelu(x: ir.Value) -> ir.Value:
    """`x/2 (1 + erf(x / sqrt 2))`."""
    erf = math.erf(arith.mulf(x, real(1 / sqrt(2))))
    return arith.mulf(arith.mulf(x, real(0.5)), arith.addf(real(1), erf))


def gelu_tanh(x: ir.Value) -> ir.Value:
    """`x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`."""
    cube = arith.mulf(arith.mulf(x, x), x)
    inner = arith.addf(x, arith.mulf(real(0.044715), cube))
    tanh = math.tanh(arith.mulf(real(sqrt(2 / pi)), inner))
    return arith.mulf(arith.mulf(x, real(0.5)), arith.addf(real(1), tanh))


def relu(x: ir.Value) -> ir.Value:
    """`max(x, 0)`."""
    return arith.maximumf(x, real(0))


def softcap(x: ir.Value, cap: float) -> ir.Value:
    """`cap tanh(x / cap)`."""
    return arith.mulf(real(cap), math.tanh(arith.divf(x, real(cap))))


def reduced_angle(angle: ir.Value) -> ir.Value:
    """The angle in [-pi, pi] that differs from `angle` by whole turns, for `|angle| < 2^20`.

    The targets' own `sin` and `cos` lose digits as angles grow: at 10,000, which a position may reach, they
    are wrong in the fourth decimal. A turn is subtracted in pieces of few bits, whose products with the
    number of turns are exact.
    """
    turns = math.floor(arith.addf(arith.mulf(angle, real(1 / (2 * pi))), real(0.5)))
    for piece in _pieces(2 * pi, bits=6, count=8):
        angle = arith.subf(angle, arith.mulf(turns, real(piece)))
    return angle


def _pieces(value: float, *, bits: int, count: int) -> list[float]:
    """Split `value` into a sum of numbers of `bits` significant bits, largest first."""
    pieces = []
    for _ in range(count):
        unit = 2.0 ** (frexp(value)[1] - bits)
        pieces.append(value // unit * unit)
        value -= pieces[-1]
    return pieces
