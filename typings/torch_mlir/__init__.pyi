# Types of the MLIR bindings. The wheel ships none; what is not written out here is Any.
from typing import Any

def __getattr__(name: str) -> Any: ...
