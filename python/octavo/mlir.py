"""The only door to the MLIR Python bindings: the torch-mlir wheel's.

Every other module takes them from here, so an upgrade of the bindings is a change to one file.
"""

import ctypes
import sys
from types import ModuleType

try:
    from torch_mlir import ir, passmanager, rewrite
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "the MLIR bindings are not installed, which running an artifact does not need and everything else "
        "does. Install them with: pip install 'octavo[compile]'",
        name=error.name,
    ) from error
from torch_mlir._mlir_libs._torchMlir import register_dialect as register_torch_dialect
from torch_mlir.dialects import arith, ext, func, linalg, math, tensor

# Whenever an operation is touched, the bindings look for a Python module of its dialect. Where there is none
# they search the disk each time, which took half of the passes' time: give them empty ones to find.
_WITHOUT_MODULE = ("llm", "torch_c", "util", "iree_linalg_ext", "iree_tensor_ext", "flow", "hal")
for _name in _WITHOUT_MODULE:
    sys.modules.setdefault(f"torch_mlir.dialects.{_name}", ModuleType(_name))

__all__ = [
    "address_of",
    "arith",
    "ext",
    "func",
    "ir",
    "linalg",
    "math",
    "passmanager",
    "register_torch_dialect",
    "rewrite",
    "tensor",
]

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_CAPSULE_NAME = b"torch_mlir.ir.Operation._CAPIPtr"


def address_of(op: ir.Operation) -> int:
    """Address of a live operation: what still tells it apart once it is erased.

    Every other question to an erased operation that the bindings do not know to be erased, even its hash,
    reads freed memory.
    """
    return int(_capsule_pointer(op._CAPIPtr, _CAPSULE_NAME) or 0)
