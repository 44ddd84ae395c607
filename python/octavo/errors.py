"""The exceptions Octavo raises, one class for each stage of the flow.

A message names the thing, says what is wrong with it, what was expected and what was found, and, where a
person can act, what to do. `ValueError` is kept for a wrong argument of the caller's, `assert` for our own
invariants.
"""


class OctavoError(Exception):
    """Base of every error that Octavo raises on purpose."""


class CaptureError(OctavoError):
    """A model or its weight files cannot be read or captured."""


class VerifyError(OctavoError):
    """An operation breaks a rule between its fields."""


class PassError(OctavoError):
    """A pass failed, or a `check-` pass found something illegal at its place in the pipeline."""


class NoReferenceError(OctavoError):
    """The interpreter meets an operation that it has no reference for."""


class CompileError(OctavoError):
    """The backend compiler refused the lowered module."""


class ArtifactError(OctavoError):
    """An artifact directory is missing, damaged, or made for another version or machine."""


class DeviceError(OctavoError):
    """A device cannot be opened, or a call on it failed."""


class CapacityError(OctavoError):
    """A request needs more than the model's context or the KV pool can hold."""
