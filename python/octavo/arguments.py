"""What a caller may pass: checks that name the argument, what was expected and what came."""

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

_MAX_SHOWN = 80  # characters of a wrong value in a message


def is_integer(value: object) -> bool:
    """Whether a value counts: an int or an integer of numpy's, but no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether a value is a finite real number, but no bool."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def is_list(value: object) -> bool:
    """Whether a value is a list, a tuple or the like, but no text."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def is_array(value: object) -> bool:
    """Whether a value is an array of numpy's with at least one axis."""
    # Numpy takes a tenth of a second to import, which who passes no array need not pay.
    num_axes = getattr(value, "ndim", 0)
    return isinstance(num_axes, int) and num_axes > 0


def require(valid: bool, name: str, expected: str, got: object) -> None:
    """Raise `ValueError` that names the argument, what it may be and what it is, unless `valid`."""
    if not valid:
        raise ValueError(f"{name}: expected {expected}, got {shown(got)}")


def integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int; raise `ValueError` unless it is an integer from `least` to `most`."""
    valid = is_integer(value) and value >= least and (most is None or value <= most)
    bounds = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
    require(valid, name, f"an integer {bounds}", value)
    return int(value)


def optional_integer(name: str, value: Any, least: int) -> int | None:
    """Like `integer`, but `None` is `None`."""
    require(
        value is None or (is_integer(value) and value >= least),
        name,
        f"None or an integer of at least {least:,}",
        value,
    )
    return None if value is None else int(value)


def shown(value: object) -> str:
    """A value as a message shows it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
