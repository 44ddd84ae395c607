"""An entry point of fixed sizes computes what the step of dynamic sizes does."""

import numpy as np
import pytest

from octavo.config import Bucket
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes.optimize.specialize_buckets import Buckets

TEXT = """
!ids = tensor<?x?xi32>
!row = tensor<?xi32>
!heads = tensor<?x?x2x8xf32>
!pool = tensor<?x2x4x8xf32>
!angles = tensor<?x?x4xf32>
func.func @step(
    %tokens: !ids, %start: !row, %lens: !row, %table: !ids, %k: !pool {llm.state = "layer0.k"}
) -> (tensor<?x16xf32>, !pool {llm.state = "layer0.k"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %tokens, %c0 : !ids
  %t = tensor.dim %tokens, %c1 : !ids
  %e = "llm.weight"() {key = "e"} : () -> tensor<31x48xf32>
  %f = "llm.weight"() {key = "f"} : () -> tensor<4xf32>
  %p = "llm.positions"(%tokens, %start, %lens) : (!ids, !row, !row) -> !ids
  %x = "llm.embedding"(%e, %tokens) : (tensor<31x48xf32>, !ids) -> tensor<?x?x48xf32>
  %part = tensor.extract_slice %x[0, 0, 32] [%b, %t, 16] [1, 1, 1] : tensor<?x?x48xf32> to tensor<?x?x16xf32>
  %h = tensor.expand_shape %part [[0], [1], [2, 3]] output_shape [%b, %t, 2, 8]
    : tensor<?x?x16xf32> into !heads
  %cos, %sin = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (!ids, tensor<4xf32>) -> (!angles, !angles)
  %q = "llm.rope"(%h, %cos, %sin) {style = "neox"} : (!heads, !angles, !angles) -> !heads
  %k1 = "llm.kv_write"(%k, %q, %table, %start, %lens) : (!pool, !heads, !ids, !row, !row) -> !pool
  %a = "llm.paged_attention"(%q, %k1, %k1, %table, %start, %lens) {
    scale = 0.5 : f64, softcap = none, window = none
  } : (!heads, !pool, !pool, !ids, !row, !row) -> !heads
  %y = tensor.collapse_shape %a [[0], [1], [2, 3]] : !heads into tensor<?x?x16xf32>
  %last = "llm.last_token"(%y, %lens) : (tensor<?x?x16xf32>, !row) -> tensor<?x16xf32>
  return %last, %k1 : tensor<?x16xf32>, !pool
}
"""


@pytest.mark.parametrize("bucket", [Bucket(1, 1), Bucket(3, 5)], ids=str)
def test_a_bucket_is_the_step(bucket, rng, run_pass) -> None:
    weights = {
        "e": rng.standard_normal((31, 48)).astype(np.float32),
        "f": rng.random(4).astype(np.float32),
    }
    b, t = bucket.batch, bucket.num_tokens
    inputs = [
        rng.integers(0, 31, (b, t), dtype=np.int32),
        rng.integers(0, 4, b, dtype=np.int32),
        rng.integers(0, t + 1, b, dtype=np.int32),
        rng.permutation(12)[: 3 * b].reshape(b, 3).astype(np.int32),
        rng.standard_normal((12, 2, 4, 8)).astype(np.float32),
    ]
    expected = evaluate(ir.Module.parse(TEXT), inputs, function="step", weights=weights)
    module, changes = run_pass(TEXT, "specialize-buckets{buckets=3x5+1x1}")
    assert changes == 2
    got = evaluate(module, inputs, function=bucket.entry_point, weights=weights)
    for each, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(each, wanted)


def test_buckets_are_sorted_and_read_what_they_write() -> None:
    buckets = Buckets("3x8+1x1+3x8+2x16")
    assert buckets == (Bucket(1, 1), Bucket(2, 16), Bucket(3, 8))
    assert Buckets(str(buckets)) == buckets
    assert Buckets([Bucket(2, 1)]) == Buckets("2x1")


@pytest.mark.parametrize("text", ["", "1", "0x1", "1x0", "1x1+", "-1x1", "1x1,2x2"])
def test_a_malformed_list_is_refused(text) -> None:
    with pytest.raises(ValueError, match="expected rows x tokens such as 8x1"):
        Buckets(text)
