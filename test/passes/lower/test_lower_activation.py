"""Activations on a device give the interpreter's numbers, also where exponentials overflow."""

import numpy as np
import pytest

from octavo.dialects.llm.activation import ACTIVATIONS

UNARY = """
func.func @$name(%x: tensor<${m}x9x$element>) -> tensor<${m}x9x$element> {
  %y = "llm.$op"(%x) {$attribute} : (tensor<${m}x9x$element>) -> tensor<${m}x9x$element>
  return %y : tensor<${m}x9x$element>
}
"""
GATED = """
func.func @$name(%g: tensor<${m}x9x$element>, %u: tensor<${m}x9x$element>) -> tensor<${m}x9x$element> {
  %y = "llm.$op"(%g, %u) {$attribute}
    : (tensor<${m}x9x$element>, tensor<${m}x9x$element>) -> tensor<${m}x9x$element>
  return %y : tensor<${m}x9x$element>
}
"""
UNARY_OPS = [
    *({"op": "activation", "attribute": f'kind = "{kind}"'} for kind in ACTIVATIONS),
    {"op": "scale", "attribute": "factor = 5.5 : f64"},
    {"op": "softcap", "attribute": "cap = 1.5 : f64"},
]
GATED_OPS = [
    {"op": "swiglu", "attribute": ""},
    {"op": "geglu", "attribute": 'approximate = "none"'},
    {"op": "geglu", "attribute": 'approximate = "tanh"'},
]


def wide(random, element: str) -> np.ndarray:
    """Numbers from 0.01 to 100 and their negatives."""
    x = random(6, 9)
    return (np.sign(x) * 10 ** np.clip(2 * x, -2, 2)).astype(random(1, element=element).dtype)


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_of_one(element, random, variants, check_lowering) -> None:
    check_lowering(variants(UNARY, *UNARY_OPS), {"m": 6}, [wide(random, element)], element)


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_gated(element, random, variants, check_lowering) -> None:
    inputs = [wide(random, element), random(6, 9, element=element)]
    check_lowering(variants(GATED, *GATED_OPS), {"m": 6}, inputs, element)
