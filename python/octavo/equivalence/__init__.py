"""Whether two modules compute the same: random inputs, the interpreter, and a tolerance by element type."""

from octavo.equivalence.check import Report, check_same
from octavo.equivalence.compare import Mismatch

__all__ = ["Mismatch", "Report", "check_same"]
