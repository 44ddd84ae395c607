from typing import Any

class FxImporter:
    module: Any
    def __init__(self, *, context: Any = ..., hooks: FxImporterHooks | None = ...) -> None: ...
    def import_program(self, prog: Any, *, func_name: str = ...) -> Any: ...

class FxImporterHooks:
    def resolve_input(self, gni: Any, value: Any, info: InputInfo) -> Any: ...

class InputInfo:
    input_spec: Any
    ir_type: Any
