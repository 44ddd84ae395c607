"""Logits of the last tokens are the last tokens' logits; idle rows stay 0."""

import numpy as np

TEXT = """
!all = tensor<?x?x31xbf16>
!x = tensor<?x?x8xbf16>
!head = tensor<31x8xbf16>
!bias = tensor<31xbf16>
!lens = tensor<?xi32>
func.func @main(%x: !x, %w: !head, %b: !bias, %lens: !lens) -> tensor<?x31xf32> {
  %0 = "llm.linear"(%x, %w, %b) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!x, !head, !bias) -> !all
  %1 = "llm.scale"(%0) {factor = 0.3 : f64} : (!all) -> !all
  %2 = "llm.softcap"(%1) {cap = 2.0 : f64} : (!all) -> !all
  %3 = arith.extf %2 : !all to tensor<?x?x31xf32>
  %last = "llm.last_token"(%3, %lens) : (tensor<?x?x31xf32>, !lens) -> tensor<?x31xf32>
  return %last : tensor<?x31xf32>
}
"""


def test_last_tokens_of_rows(rng, check_pass, run_pass, dtype_named) -> None:
    shapes = [(4, 6, 8), (31, 8), (31,)]
    arrays = [rng.standard_normal(shape).astype(dtype_named("bf16")) for shape in shapes]
    lens = np.array([6, 0, 1, rng.integers(2, 6)], np.int32)
    # A sum of eight products in another order may round to the next bf16.
    check_pass(TEXT, "fuse-logits", [*arrays, lens], changes=4, tolerance=2**-6)
    module, _ = run_pass(TEXT, "fuse-logits")
    assert "tensor<?x?x31" not in str(module)
