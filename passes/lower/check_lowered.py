"""check-lowered: nothing is left that IREE does not know."""

from collections.abc import Iterator

from octavo.errors import PassError
from octavo.mlir import ir
from octavo.passes.registry import register_pass
from octavo.passes.rewriter import walk

# IREE's own dialects, and the upstream ones that its input may be written in.
KNOWN_DIALECTS = frozenset(
    {
        *("arith", "builtin", "cf", "func", "linalg", "math", "scf", "tensor", "vector"),
        *("flow", "hal", "iree_codegen", "iree_linalg_ext", "iree_tensor_ext", "stream", "util"),
    }
)


@register_pass("check-lowered")
def check_lowered(module: ir.Operation) -> int:
    """Fail unless IREE knows every operation and every attribute of the module; change nothing.

    Raises:
        PassError: lists what is left, with the location of the first of each.
    """
    left: dict[str, ir.Location] = {}
    for op in (module, *walk(module)):
        for name in _unknown_names(op):
            left.setdefault(name, op.location)
    if left:
        listed = "".join(f"\n  {name} at {location}" for name, location in left.items())
        raise PassError(
            f"the lowered module holds what IREE does not know:{listed}\n"
            f"Expected only the dialects {', '.join(sorted(KNOWN_DIALECTS))}. An operation of 'llm' is left "
            "when its lowering is missing from the pipeline."
        )
    return 0


def _unknown_names(op: ir.Operation) -> list[str]:
    names = [
        f"attribute '{name}' of '{op.name}'" for name in _attribute_names(op) if _is_unknown(name)
    ]
    return names if op.name.partition(".")[0] in KNOWN_DIALECTS else [f"'{op.name}'", *names]


def _attribute_names(op: ir.Operation) -> Iterator[str]:
    """Names of an operation's attributes, and of those of a function's arguments and results."""
    yield from op.attributes
    for key in ("arg_attrs", "res_attrs"):
        if key in op.attributes:
            for each in op.attributes[key]:
                yield from (named.name for named in ir.DictAttr(each))


def _is_unknown(attribute: str) -> bool:
    dialect, dot, _ = attribute.partition(".")
    return bool(dot) and dialect not in KNOWN_DIALECTS | {"iree"}
