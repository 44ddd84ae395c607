"""What octavo-opt lists of the passes it knows."""

import dataclasses
import types
import typing
from collections.abc import Iterator
from typing import Any

from octavo.passes.registry import PHASES, Pass, all_passes


def list_passes() -> Iterator[str]:
    """Lines that say of each pass, by phase, its name, what it does, and its options."""
    for phase in PHASES:
        yield f"{phase}:"
        for each in all_passes():
            if each.phase == phase:
                yield f"  {each.name:<28} {each.summary}"
                yield from _list_options(each)


def _list_options(each: Pass) -> Iterator[str]:
    hints = typing.get_type_hints(each.options)
    for field in dataclasses.fields(each.options):
        spelled = f"{field.name.replace('_', '-')}={_type_name(hints[field.name])}"
        yield f"    {spelled:<26} {_default(field)}"


def _type_name(kind: Any) -> str:
    if typing.get_origin(kind) is types.UnionType:
        return "|".join(
            _type_name(part) for part in typing.get_args(kind) if part is not type(None)
        )
    return getattr(kind, "__name__", str(kind)).lower()


def _default(field: "dataclasses.Field[Any]") -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        return "(required)"
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return "(optional)" if value is None else f"(default: {shown})"
