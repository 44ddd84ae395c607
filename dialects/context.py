"""The one way to make an MLIR context that can hold Octavo's modules."""

import threading

from octavo.dialects.base import load_dialect
from octavo.dialects.llm import LLM
from octavo.mlir import ir, passmanager, register_torch_dialect

# Loading Python dialects into several new contexts at once crashes the bindings.
_LOCK = threading.Lock()


def create_context() -> ir.Context:
    """Return a context with the `llm` and torch dialects loaded.

    Unregistered dialects are allowed, since IREE's (`util`, `iree_linalg_ext`) are not known to these
    bindings. Threading stays off: a Python verifier in a threaded context deadlocks.
    """
    with _LOCK:
        context = ir.Context()
        context.allow_unregistered_dialects = True
        context.enable_multithreading(False)
        with context, ir.Location.unknown():
            register_torch_dialect(context)
            _load_torch_conversion_dialect()
            load_dialect(LLM)
    return context


def _load_torch_conversion_dialect() -> None:
    """Load `torch_c`, which only comes as a dependency of a torch conversion pass.

    Casts created before it is loaded would be unregistered operations that torch-mlir's patterns ignore.
    """
    pipeline = "builtin.module(torch-func-backend-type-conversion)"
    passmanager.PassManager.parse(pipeline).run(ir.Module.create().operation)
