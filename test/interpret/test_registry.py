import numpy as np
import pytest

from octavo.dialects.llm import LLM
from octavo.errors import OctavoError
from octavo.interpret import reference, registry
from octavo.interpret.registry import all_references

MODULE = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "my.twice"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


@pytest.fixture(autouse=True)
def own_references(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    monkeypatch.setattr(registry, "_REFERENCES", dict(registry._REFERENCES))


def test_every_operation_of_the_dialect_has_a_reference() -> None:
    operations = {op.OPERATION_NAME for op in LLM.operations}
    assert operations <= set(all_references())


def test_a_plugin_adds_an_operation(run_text, normal) -> None:
    reference("my.twice")(lambda op, frame: 2 * frame[op.operands[0]])
    x = normal((2,))
    np.testing.assert_array_equal(run_text(MODULE, x)[0], 2 * x)


def test_an_unknown_operation_names_itself_its_place_and_the_remedy(run_text, normal) -> None:
    with pytest.raises(OctavoError) as caught:
        run_text(MODULE, normal((2,)))
    assert str(caught.value) == (
        """the interpreter has no reference for 'my.twice' at loc("-":3:8). Register one by decorating """
        """a function (op, frame) -> array with @octavo.interpret.reference("my.twice")"""
    )


def test_a_second_reference_is_refused() -> None:
    message = r"'llm\.rms_norm' has a reference already: octavo\.interpret\.norm"
    with pytest.raises(ValueError, match=message):
        reference("llm.rms_norm")(lambda op, frame: [])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda op, frame: 1 // 0, "'my.twice' at .*: ZeroDivisionError: "),
        (lambda op, frame: [], "returned 0 arrays, expected 1"),
        (lambda op, frame: np.zeros(2), r"expected tensor<2xf32>, got float64 of shape \[2\]"),
        (lambda op, frame: np.zeros(3, np.float32), r"tensor<2xf32>, got float32 of shape \[3\]"),
    ],
)
def test_a_reference_that_fails_or_returns_the_wrong_thing_is_named(
    run_text, normal, function, message
) -> None:
    reference("my.twice")(function)
    with pytest.raises(OctavoError, match=message):
        run_text(MODULE, normal((2,)))
