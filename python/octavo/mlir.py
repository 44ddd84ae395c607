"""The only door to the MLIR Python bindings: the torch-mlir wheel's.

Every other module takes them from here, so an upgrade of the bindings is a change to one file.
"""

from torch_mlir import ir, passmanager, rewrite
from torch_mlir._mlir_libs._torchMlir import register_dialect as register_torch_dialect
from torch_mlir.dialects import arith, ext, func, linalg, math, tensor

__all__ = [
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
