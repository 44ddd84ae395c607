"""Readers and builders for the attributes that `llm` operations carry.

MLIR's Python-defined operations have no optional attributes, and an attribute that carries meaning must
not be droppable. Where a value may be absent (no window, no softcap) the attribute is still there and reads
`none`.
"""

from typing import Any

from octavo.dialects.base import require
from octavo.mlir import ir


def float_attr(value: float) -> ir.FloatAttr:
    """`value : f64`."""
    return ir.FloatAttr.get(ir.F64Type.get(), float(value))


def int_attr(value: int) -> ir.IntegerAttr:
    """`value : i64`."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(value))


def bool_attr(value: bool) -> ir.IntegerAttr:
    """`true` or `false`. Not `BoolAttr.get`: the bindings treat a false attribute as absent."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(1), int(value))


def none_attr() -> ir.Attribute:
    """The attribute that says 'absent'; prints as `none`."""
    return ir.TypeAttr.get(ir.NoneType.get())


def optional_float_attr(value: float | None) -> ir.Attribute:
    """`value : f64`, or `none`."""
    return none_attr() if value is None else float_attr(value)


def optional_int_attr(value: int | None) -> ir.Attribute:
    """`value : i64`, or `none`."""
    return none_attr() if value is None else int_attr(value)


def read_optional(attribute: ir.Attribute) -> float | int | None:
    """Value of a numeric attribute, or None for `none`."""
    if attribute == none_attr():
        return None
    return attribute.value  # type: ignore[no-any-return]


def check_optional_positive(attribute: ir.Attribute, name: str, kind: Any) -> None:
    """Require `none`, or a positive attribute of class `kind`."""
    if attribute == none_attr():
        return
    label = "float" if kind is ir.FloatAttr else "integer"
    is_positive = isinstance(attribute, kind) and attribute.value > 0
    require(is_positive, f"expected {name} to be a positive {label} or none, got {attribute}")
    if isinstance(attribute, ir.IntegerAttr):
        # Positions are i32, and a larger number would wrap when it meets one.
        require(attribute.value < 2**31, f"expected {name} below 2^31 or none, got {attribute}")


def check_choice(attribute: ir.StringAttr, name: str, choices: tuple[str, ...]) -> None:
    """Require one of `choices`."""
    listed = ", ".join(f'"{choice}"' for choice in choices)
    require(
        attribute.value in choices,
        f'expected {name} to be one of {listed}, got "{attribute.value}"',
    )
