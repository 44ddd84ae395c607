"""Weights come from the archive, by name."""

import numpy as np

TEXT = """
func.func @first(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = "llm.weight"() {key = "a \\22quoted\\22 name"} : () -> tensor<3xf32>
  %y = arith.addf %x, %w : tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @second(%x: tensor<3xf32>) -> tensor<3xf32> {
  %v = "llm.weight"() {key = "other"} : () -> tensor<3xf32>
  %w = "llm.weight"() {key = "a \\22quoted\\22 name"} : () -> tensor<3xf32>
  %y = arith.mulf %v, %w : tensor<3xf32>
  return %y : tensor<3xf32>
}
"""


def test_functions_share_weights(random, compile_text) -> None:
    weights = {'a "quoted" name': random(3), "other": random(3)}
    _, program = compile_text(TEXT, weights)
    x = random(3)
    [added] = program("first", x)
    [multiplied] = program("second", x)
    np.testing.assert_allclose(added, x + weights['a "quoted" name'], rtol=1e-6)
    np.testing.assert_allclose(multiplied, np.prod(list(weights.values()), axis=0), rtol=1e-6)
