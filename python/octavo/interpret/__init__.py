"""The numpy interpreter: runs any `llm` module, and is the executable definition of each operation.

A pass is right when the interpreter gives the same numbers before and after it; a compiled program is right
when it gives the interpreter's numbers.
"""

from octavo.interpret import (  # noqa: F401  (importing a module fills the table of references)
    activation,
    arith,
    attention,
    calls,
    iree,
    linalg,
    linear,
    math,
    norm,
    rope,
    slices,
    tensor,
)
from octavo.interpret.frame import Frame, evaluate
from octavo.interpret.registry import reference

__all__ = ["Frame", "evaluate", "reference"]
