"""The fused gate gives the activation times the other operand, with one rounding less."""

import numpy as np
import pytest

TEXT = """
!x = tensor<?x8xELEMENT>
func.func @main(%gate: !x, %up: !x) -> !x {
  %a = "llm.activation"(%gate) {kind = "KIND"} : (!x) -> !x
  %y = arith.mulf ORDER : !x
  return %y : !x
}
"""


@pytest.mark.parametrize("order", ["%a, %up", "%up, %a"])
@pytest.mark.parametrize("kind", ["silu", "gelu", "gelu_tanh"])
@pytest.mark.parametrize(("element", "tolerance"), [("f32", 1e-6), ("bf16", 2**-7)])
def test_gates(order, kind, element, tolerance, rng, check_pass, dtype_named) -> None:
    text = TEXT.replace("ELEMENT", element).replace("KIND", kind).replace("ORDER", order)
    inputs = [3 * rng.standard_normal((5, 8)) for _ in range(2)]
    arrays = [each.astype(dtype_named(element)) for each in inputs]
    check_pass(text, "fuse-gated-activation", arrays, tolerance=tolerance)


def test_an_activation_without_a_fused_form(rng, check_pass) -> None:
    text = TEXT.replace("ELEMENT", "f32").replace("KIND", "sigmoid").replace("ORDER", "%a, %up")
    inputs = [rng.standard_normal((5, 8)).astype(np.float32) for _ in range(2)]
    check_pass(text, "fuse-gated-activation", inputs, changes=0, tolerance=0)
