import numpy as np
import pytest

from octavo.dialects import create_context
from octavo.errors import OctavoError
from octavo.interpret import evaluate
from octavo.mlir import ir

TEXT = """
func.func @main(%x: tensor<?x3xf32>, %n: index) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}
func.func @branches(%c: i1) -> i1 {
  cf.br ^end
^end:
  return %c : i1
}
func.func private @declared()
"""


def evaluate_text(*inputs: np.ndarray, function: str = "main") -> list[np.ndarray]:
    with create_context():
        return evaluate(ir.Module.parse(TEXT), inputs, function=function)


def test_needs_no_current_context(normal) -> None:
    with create_context():
        module = ir.Module.parse(TEXT)
    x = normal((2, 3))
    np.testing.assert_array_equal(evaluate(module, [x, np.array(2)])[0], x)


def test_an_unknown_function_is_an_error() -> None:
    message = "no function 'step': its functions are main, branches, declared"
    with pytest.raises(OctavoError, match=message):
        evaluate_text(function="step")


@pytest.mark.parametrize(("function", "count"), [("branches", 2), ("declared", 0)])
def test_only_straight_lines_run(function, count) -> None:
    with pytest.raises(OctavoError, match=f"'{function}' has {count} blocks"):
        evaluate_text(function=function)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "function 'main' takes 2 inputs, got 0"),
        (
            [np.zeros((2, 3)), np.array(1)],
            r"input 0 of function 'main': expected tensor<\?x3xf32>, got float64 of shape \[2, 3\]",
        ),
        (
            [np.zeros((2, 4), np.float32), np.array(1)],
            r"input 0 of function 'main': expected tensor<\?x3xf32>, got float32 of shape \[2, 4\]",
        ),
        (
            [np.zeros((2, 3), np.float32), np.array(1, np.int32)],
            r"input 1 of function 'main': expected index, got int32 of shape \[\]",
        ),
    ],
)
def test_inputs_are_checked(inputs, message) -> None:
    with pytest.raises(OctavoError, match=message):
        evaluate_text(*inputs)


def test_infinities_pass_without_warnings(run_text) -> None:
    [got] = run_text(
        """
        func.func @main(%x: f32) -> f32 {
          %0 = arith.divf %x, %x : f32
          return %0 : f32
        }
        """,
        np.array(0, np.float32),
    )
    assert np.isnan(got)


def test_a_failure_names_the_operation_and_its_place(run_text, normal) -> None:
    message = r"""^'tensor\.cast' at loc\("-":3:16\): result 0 of its reference: expected tensor<2x3xf32>"""
    with pytest.raises(OctavoError, match=message):
        run_text(
            """
        func.func @main(%x: tensor<?x3xf32>) -> tensor<2x3xf32> {
          %0 = tensor.cast %x : tensor<?x3xf32> to tensor<2x3xf32>
          return %0 : tensor<2x3xf32>
        }
        """,
            normal((4, 3)),
        )
