"""What eliminate-dead-code erases, nobody read."""

import numpy as np

TEXT = """
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = arith.addf %0, %x : tensor<?x8xf32>
  %2 = arith.mulf %1, %0 : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


def test_results_stay(rng, check_pass) -> None:
    x = rng.standard_normal((3, 8)).astype(np.float32)
    check_pass(TEXT, "eliminate-dead-code", [x], changes=2)
