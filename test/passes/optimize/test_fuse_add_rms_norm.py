"""The fused norm gives the sum and the norm of the two operations."""

import numpy as np
import pytest

from octavo.mlir import ir

TEXT = """
!x = tensor<?x8xELEMENT>
!w = tensor<8xELEMENT>
func.func @main(%x: !x, %r: !x, %w: !w) -> (!x, !x) {
  %s = arith.addf %x, %r : !x
  %y = "llm.rms_norm"(%s, %w) {eps = 0.01 : f64, weight_offset = OFFSET : f64} : (!x, !w) -> !x
  %z = arith.addf %s, %y : !x
  return %y, %z : !x, !x
}
"""


@pytest.mark.parametrize("element", ["f32", "bf16"])
@pytest.mark.parametrize("offset", ["0.0", "1.0"])
def test_sum_and_norm(element, offset, rng, check_pass, dtype_named) -> None:
    text = TEXT.replace("ELEMENT", element).replace("OFFSET", offset)
    shapes = [(3, 8), (3, 8), (8,)]
    inputs = [rng.standard_normal(shape).astype(dtype_named(element)) for shape in shapes]
    check_pass(text, "fuse-add-rms-norm", inputs, tolerance=0)


def test_a_sum_of_a_sum(rng, run_pass, check_pass) -> None:
    text = """
      !x = tensor<?x8xf32>
      !w = tensor<8xf32>
      func.func @main(%x: !x, %w: !w) -> !x {
        %s = arith.addf %x, %x : !x
        %t = arith.addf %s, %x : !x
        %y = "llm.rms_norm"(%t, %w) {eps = 0.01 : f64, weight_offset = 0.0 : f64} : (!x, !w) -> !x
        %u = arith.addf %t, %y : !x
        %z = "llm.rms_norm"(%u, %w) {eps = 0.01 : f64, weight_offset = 0.0 : f64} : (!x, !w) -> !x
        return %z : !x
      }
    """
    inputs = [rng.standard_normal(shape).astype(np.float32) for shape in ((3, 8), (8,))]
    check_pass(text, "fuse-add-rms-norm", inputs, changes=2)
    module, _ = run_pass(text, "fuse-add-rms-norm")
    assert isinstance(module, ir.Module)
    assert str(module).count("arith.addf") == 1
