"""A pipeline is a list of pass names with options: data, parsed once and never pasted together as text."""

import dataclasses
import difflib
import re
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from octavo.errors import PassError
from octavo.passes.registry import Pass, all_passes, find_pass

_ELEMENT = re.compile(r"(?P<name>[\w.-]+)(?P<nested>\(.*\))?(\{(?P<options>.*)\})?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PassCall:
    """One element of a pipeline: one of our passes with its options, or a textual MLIR pipeline element."""

    name: str
    options: Any = None
    mlir: str | None = None


def call(name: str, /, **options: Any) -> PassCall:
    """Name one of our passes with options.

    Raises:
        PassError: no such pass, an option it does not have, or one it needs left out.
    """
    found = _find(name)
    known = {field.name for field in dataclasses.fields(found.options)}
    if unknown := sorted(set(options) - known):
        raise PassError(_unknown_option(found, unknown[0]))
    return PassCall(name, _make_options(found, options))


def mlir_call(text: str) -> PassCall:
    """Name an MLIR pass or nested pipeline, such as `canonicalize` or `func.func(cse)`."""
    return PassCall(name=text.partition("(")[0].partition("{")[0], mlir=text)


def parse_pipeline(text: str) -> list[PassCall]:
    """Parse `a,b{x=1 y=2},func.func(cse)` into calls.

    A name that is registered is ours; any other is handed to MLIR when it runs.

    Raises:
        PassError: the text is malformed, or an option is unknown, left out, or of a wrong type.
    """
    return [_parse_element(element) for element in split_pipeline(text)]


def split_pipeline(text: str) -> list[str]:
    """Split at the commas outside all brackets."""
    elements: list[str] = []
    depth, begin = 0, 0
    for index, char in enumerate(text + ","):
        depth += (char in "({<") - (char in ")}>")
        if depth < 0:
            raise PassError(f"unbalanced '{char}' at column {index + 1} of the pipeline '{text}'")
        if char == "," and depth == 0:
            elements.append(text[begin:index].strip())
            begin = index + 1
    if depth:
        raise PassError(f"unbalanced brackets in the pipeline '{text}': {depth} not closed")
    return [element for element in elements if element]


def _parse_element(element: str) -> PassCall:
    match = _ELEMENT.fullmatch(element)
    if match is None:
        raise PassError(f"cannot read '{element}': expected a pass name, or name{{option=value}}")
    found = find_pass(match["name"])
    if found is None:
        return mlir_call(element)
    if match["nested"]:
        raise PassError(f"cannot read '{element}': pass '{found.name}' holds no other passes")
    return PassCall(found.name, _parse_options(found, match["options"] or ""))


def _parse_options(found: Pass, text: str) -> Any:
    hints = typing.get_type_hints(found.options)
    values: dict[str, Any] = {}
    given: dict[str, str] = {}
    for item in text.split():
        key, _, value = item.partition("=")
        name = key.replace("-", "_")
        if name not in hints:
            raise PassError(_unknown_option(found, key))
        if name in given:
            raise PassError(
                f"option {name.replace('_', '-')} of pass '{found.name}': "
                f"expected one value, got '{given[name]}' and '{value}'"
            )
        given[name] = value
        values[name] = _parse_value(found.name, key, value, hints[name])
    return _make_options(found, values)


def _make_options(found: Pass, values: dict[str, Any]) -> Any:
    for field in dataclasses.fields(found.options):
        has_default = (field.default, field.default_factory) != (dataclasses.MISSING,) * 2
        if field.name not in values and not has_default:
            key = field.name.replace("_", "-")
            raise PassError(
                f"pass '{found.name}' needs option '{key}': write {found.name}{{{key}=...}}"
            )
    return found.options(**values)


def _parse_value(pass_name: str, key: str, value: str, kind: Any) -> Any:
    if typing.get_origin(kind) is types.UnionType:
        kind = next(part for part in typing.get_args(kind) if part is not type(None))
    if kind is bool:
        if value not in ("", "true", "false"):
            raise PassError(
                f"option {key} of pass '{pass_name}': expected true or false, got '{value}'"
            )
        return value != "false"
    try:
        return kind(value)
    except ValueError as error:
        is_plain = kind in (int, float)
        reason = f"expected {kind.__name__}, got '{value}'" if is_plain else str(error)
        raise PassError(f"option {key} of pass '{pass_name}': {reason}") from error


def _find(name: str) -> Pass:
    found = find_pass(name)
    if found is None:
        raise PassError(unknown_pass(name))
    return found


def unknown_pass(name: str) -> str:
    """Message for a name nobody knows, with the nearest that somebody does."""
    names = [each.name for each in all_passes()]
    near = difflib.get_close_matches(name, names, n=3)
    hint = (
        f"did you mean {' or '.join(near)}?" if near else "'octavo-opt --list-passes' lists them."
    )
    return f"no pass named '{name}': {hint}"


def _unknown_option(found: Pass, key: str) -> str:
    known = [field.name.replace("_", "-") for field in dataclasses.fields(found.options)]
    listed = ", ".join(known) if known else "none"
    return f"pass '{found.name}' has no option '{key}': its options are {listed}"


def pipeline_text(calls: Sequence[PassCall]) -> str:
    """`calls` as `parse_pipeline` reads them."""
    return ",".join(_call_text(each) for each in calls)


def _call_text(each: PassCall) -> str:
    if each.mlir is not None:
        return each.mlir
    fields = dataclasses.fields(each.options)
    shown = [
        f"{field.name.replace('_', '-')}={_value_text(getattr(each.options, field.name))}"
        for field in fields
        if getattr(each.options, field.name) != field.default
    ]
    return f"{each.name}{{{' '.join(shown)}}}" if shown else each.name


def _value_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
