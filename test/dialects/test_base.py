from collections.abc import Callable

import pytest

from octavo.dialects import create_context
from octavo.dialects.base import check_declarations, load_dialect, require
from octavo.dialects.llm import LLM, RMSNormOp, ScaleOp
from octavo.errors import VerifyError
from octavo.mlir import ir

VALUES = """%x, %w, %n = "test.values"() : () -> (tensor<2x8xf32>, tensor<8xf32>, i32)
%y = """
NORM = '"llm.rms_norm"({operands}) {{{attributes}}} : ({types}) -> tensor<2x8xf32>'
ATTRIBUTES = "eps = 1.0e-5 : f64, weight_offset = 0.0 : f64"


@pytest.fixture
def refusal() -> Callable[[str], str]:
    """What MLIR says about an operation: its location, and the message."""

    def verify(text: str) -> str:
        with create_context(), pytest.raises(ir.MLIRError) as caught:
            ir.Module.parse(VALUES + text)
        [diagnostic] = caught.value.error_diagnostics
        place = ir.FileLineColLoc(diagnostic.location)
        return f"{place.start_line}:{place.start_col}: {diagnostic.message}"

    return verify


@pytest.mark.parametrize(
    ("operands", "types", "attributes", "message"),
    [
        (
            "%x, %w",
            "tensor<2x8xf32>, tensor<8xf32>",
            "eps = 1.0e-5 : f64",
            "2:6: 'llm.rms_norm' op attribute \"weight_offset\" is expected but not provided",
        ),
        (
            "%x, %w",
            "tensor<2x8xf32>, tensor<8xf32>",
            "eps = 1 : i64, weight_offset = 0.0 : f64",
            "2:6: expected base attribute 'builtin.float' but got 'builtin.integer'",
        ),
        (
            "%x",
            "tensor<2x8xf32>",
            ATTRIBUTES,
            "2:6: op expects exactly 2 operands, but got 1",
        ),
        (
            "%x, %n",
            "tensor<2x8xf32>, i32",
            ATTRIBUTES,
            "2:6: expected base type 'builtin.tensor' but got 'builtin.integer'",
        ),
    ],
    ids=["missing attribute", "wrong attribute", "missing operand", "wrong operand"],
)
def test_malformed_operations_get_mlirs_own_message(
    refusal, operands, types, attributes, message
) -> None:
    assert refusal(NORM.format(operands=operands, types=types, attributes=attributes)) == message


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ("", "'llm.layer_norm' op 'operandSegmentSizes' attribute is expected but not provided"),
        (
            ", operandSegmentSizes = array<i32: 1, 1, 1>",
            "sum of elements in 'operandSegmentSizes' attribute must be equal to the number of operands",
        ),
        (
            ", operandSegmentSizes = array<i32: 0, 1, 1>",
            "element 0 in 'operandSegmentSizes' attribute must be equal to 1",
        ),
    ],
)
def test_malformed_optional_operands_get_mlirs_own_message(refusal, segments, message) -> None:
    types = "(tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>"
    got = refusal(f'"llm.layer_norm"(%x, %w) {{eps = 1.0e-5 : f64{segments}}} : {types}')
    assert got == f"2:6: {message}"


def test_a_broken_rule_is_reported_at_the_operation(refusal) -> None:
    types = "tensor<2x8xf32>, tensor<2x8xf32>"
    got = refusal(NORM.format(operands="%x, %x", types=types, attributes=ATTRIBUTES))
    assert got == "2:6: 'llm.rms_norm' op expected weight of shape [8], got [2, 8]"


def test_a_crashing_check_is_reported_at_the_operation(refusal, monkeypatch) -> None:
    def crash(op: ScaleOp) -> None:
        raise KeyError("boom")

    monkeypatch.setattr(ScaleOp, "check", crash)
    got = refusal('"llm.scale"(%x) {factor = 2.0 : f64} : (tensor<2x8xf32>) -> tensor<2x8xf32>')
    assert got == "2:6: 'llm.scale' op verifier crashed: KeyError: 'boom'"


def test_verifying_built_operations_finds_what_parsing_finds() -> None:
    with create_context(), ir.Location.file("model.py", 7, 3):
        module = ir.Module.create()
        kind = ir.RankedTensorType.get([8], ir.F32Type.get())
        with ir.InsertionPoint(module.body):
            value = ir.Operation.create("test.value", results=[kind]).result
            eps = ir.FloatAttr.get(ir.F64Type.get(), 0.0)
            RMSNormOp(value, value, kind, eps=eps, weight_offset=eps)
        message = (
            r"""error: "model\.py":7:3: 'llm\.rms_norm' op expected a positive eps, got 0\.0"""
        )
        with pytest.raises(ir.MLIRError, match=message):
            module.operation.verify()


def test_require() -> None:
    require(True, "unseen")
    with pytest.raises(VerifyError, match=r"^expected more$"):
        require(False, "expected more")


def test_loading_a_dialect_again_changes_nothing() -> None:
    with create_context():
        load_dialect(LLM)
        load_dialect(LLM)
        module = ir.Module.parse(
            VALUES
            + NORM.format(
                operands="%x, %w", types="tensor<2x8xf32>, tensor<8xf32>", attributes=ATTRIBUTES
            )
        )
        assert isinstance(module.body.operations[1], RMSNormOp)


def test_an_operation_without_docstring_is_refused() -> None:
    class Bare:
        OPERATION_NAME = "llm.bare"

    with pytest.raises(TypeError, match=r"^llm\.bare has no docstring"):
        check_declarations([Bare])


@pytest.mark.parametrize("hook", ["verify", "verify_invariant", "verify_regions"])
def test_a_hook_that_is_never_called_is_refused(hook) -> None:
    misspelt = type(
        "Misspelt", (), {"__doc__": "x", "OPERATION_NAME": "llm.odd", hook: lambda op: None}
    )
    message = (
        rf"^llm\.odd: {hook} is never called\. Rename it to 'check', or to one of verify_invariants"
    )
    with pytest.raises(TypeError, match=message):
        check_declarations([misspelt])


@pytest.mark.parametrize("hook", ["verify_invariants", "verify_region_invariants", "check"])
def test_hooks_that_are_called_are_accepted(hook) -> None:
    good = type("Good", (), {"__doc__": "x", "OPERATION_NAME": "llm.good", hook: lambda op: True})
    check_declarations([good])
