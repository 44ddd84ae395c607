"""What every dialect here stands on: checked declarations, and verifiers that always say why.

MLIR calls a Python verifier before its own checks, loses the text when the verifier only returns False, and
lets an exception escape without a location. `VerifiedOperation` deals with all three once.
"""

from collections.abc import Sequence
from typing import Any

from octavo.errors import VerifyError
from octavo.mlir import ext, ir

_SEGMENTS = "operandSegmentSizes"
_HOOKS = ("verify_invariants", "verify_region_invariants")


class VerifiedOperation(ext.Operation):
    """Base class of operations. Override `check` to verify relations between fields."""

    def check(self) -> None:
        """Raise `VerifyError` when fields do not fit each other. The message follows `'llm.x' op `."""

    def verify_invariants(self) -> bool:
        """Report the first broken rule at the operation's location (MLIR calls this)."""
        if _lacks_segments(self):
            text = (
                f"'{self.OPERATION_NAME}' op '{_SEGMENTS}' attribute is expected but not provided"
            )
            self.location.emit_error(text)
            return False
        if not _is_well_formed(self):
            return True  # MLIR's own check comes next and names the missing or mistyped field
        try:
            with self.context:  # printing verifies too, from outside any context
                self.check()
        except VerifyError as error:
            self.location.emit_error(f"'{self.OPERATION_NAME}' op {error}")
            return False
        except Exception as error:
            self.location.emit_error(
                f"'{self.OPERATION_NAME}' op verifier crashed: {type(error).__name__}: {error}"
            )
            return False
        return True


def _lacks_segments(op: Any) -> bool:
    """Whether the attribute that says which optional operands are there is needed and absent.

    MLIR's own check lets it be absent where one operand is optional, but the accessors need it.
    """
    return bool(op._ODS_OPERAND_SEGMENTS) and _SEGMENTS not in op.attributes


def _is_well_formed(op: Any) -> bool:
    """Whether every field is there, operands and attributes of their declared kind."""
    try:
        for field in op._fields:
            value = getattr(op, field.name)
            wanted = field.constraint
            if not isinstance(wanted, type):
                continue
            if issubclass(wanted, ir.Attribute) and not _is_attribute(value, wanted):
                return False
            if issubclass(wanted, ir.Type) and not (
                value is None or isinstance(value.type, wanted)
            ):
                return False
    except (IndexError, KeyError, TypeError, ValueError):
        return False
    return True


def _is_attribute(value: ir.Attribute, wanted: type) -> bool:
    # The bindings do not make true and false instances of IntegerAttr, which they are.
    return isinstance(value, wanted) or (
        wanted is ir.IntegerAttr and isinstance(value, ir.BoolAttr)
    )


def require(condition: bool, message: str) -> None:
    """Raise `VerifyError` with `message` unless `condition` holds."""
    if not condition:
        raise VerifyError(message)


def load_dialect(dialect: type[ext.Dialect]) -> None:
    """Load `dialect` into the current context, once.

    Raises:
        TypeError: an operation has no docstring, or defines a `verify_*` method that MLIR never calls.
    """
    check_declarations(dialect.operations)
    if not ir.Context.current.is_dialect_loaded(dialect.DIALECT_NAMESPACE):
        dialect.load()


def check_declarations(operations: Sequence[Any]) -> None:
    """Refuse operations that MLIR would accept but that would not do what they say (see `load_dialect`)."""
    for operation in operations:
        name = operation.OPERATION_NAME
        if not operation.__doc__:
            raise TypeError(f"{name} has no docstring: it is the operation's reference, write one")
        dead = [key for key in vars(operation) if key.startswith("verify") and key not in _HOOKS]
        if dead:
            raise TypeError(
                f"{name}: {', '.join(dead)} is never called. Rename it to 'check', "
                f"or to one of {', '.join(_HOOKS)}"
            )
