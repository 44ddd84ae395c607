"""The table of passes: a name, a phase, a function, its options and the digest of its source.

A pass takes a module and returns how many places it changed. It leaves valid IR, raises on what it does not
understand where silence would be wrong, and leaves alone what does not match.
"""

import hashlib
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from octavo.mlir import ir

PHASES = ("lift", "optimize", "lower")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Options of a pass that has none."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A registered pass.

    Attributes:
        name: kebab-case, with the verb first.
        phase: `lift`, `optimize` or `lower`.
        run: called with the module's operation and the options; returns the number of changes.
        options: dataclass of its options.
        doc: its docstring; the first line is what `--list-passes` prints.
        path: file that defines it.
    """

    name: str
    phase: str
    run: Callable[[ir.Operation, Any], int]
    options: type
    doc: str
    path: Path

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return self.doc.splitlines()[0]

    @property
    def source_sha256(self) -> str:
        """Digest of the file that defines the pass."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


_PASSES: dict[str, Pass] = {}


def register_pass(
    name: str, options: type = NoOptions
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorate a function as the pass `name`; its phase is the package it stands in.

    The function takes the module's operation, and the options when the pass has any.

    Raises:
        ValueError: the name is not kebab-case or is taken, the function has no docstring, or `options` is not
            a frozen dataclass.
    """

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        _check_registration(name, function, options)
        takes_options = options is not NoOptions
        _PASSES[name] = Pass(
            name=name,
            phase=_phase_of(function),
            run=function if takes_options else lambda module, _: function(module),
            options=options,
            doc=inspect.cleandoc(function.__doc__ or ""),
            path=Path(inspect.getfile(function)),
        )
        return function

    return decorate


def _check_registration(name: str, function: Callable[..., int], options: type) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"pass name '{name}' is not kebab-case: expected words like 'fuse-qkv'")
    if name in _PASSES:
        raise ValueError(f"pass '{name}' is registered twice: first in {_PASSES[name].path}")
    if not function.__doc__:
        raise ValueError(
            f"pass '{name}' has no docstring: its first line is what --list-passes prints"
        )
    parameters = getattr(options, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise ValueError(
            f"options of pass '{name}' must be a frozen dataclass, got {options.__name__}"
        )


def _phase_of(function: Callable[..., int]) -> str:
    package = function.__module__.rpartition(".")[0].rpartition(".")[2]
    return package if package in PHASES else "optimize"


def find_pass(name: str) -> Pass | None:
    """Return the pass `name`, or None where no such pass is registered."""
    return _PASSES.get(name)


def all_passes() -> Iterator[Pass]:
    """Every registered pass, sorted by phase and name."""
    return iter(sorted(_PASSES.values(), key=lambda each: (PHASES.index(each.phase), each.name)))
