import numpy as np
import pytest

from octavo.dialects import create_context
from octavo.errors import OctavoError
from octavo.interpret import evaluate
from octavo.mlir import ir
from octavo.passes.lower.iree import scatter

VARIABLE = """
"util.global"() {sym_name = "v", type = tensor<2xf32>, is_mutable} : () -> ()
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %old = "util.global.load"() {global = @v} : () -> tensor<2xf32>
  "util.global.store"(%x) {global = @v} : (tensor<2xf32>) -> ()
  return %old : tensor<2xf32>
}
"""


def test_a_variable_is_read_and_written(normal) -> None:
    x, old = normal((2,)), normal((2,))
    variables = {"v": old}
    with create_context():
        [out] = evaluate(ir.Module.parse(VARIABLE), [x], variables=variables)
    np.testing.assert_array_equal(out, old)
    np.testing.assert_array_equal(variables["v"], x)


def test_a_variable_without_a_value_is_named(run_text, normal) -> None:
    with pytest.raises(OctavoError, match="no value for @v among the 0 variables given"):
        run_text(VARIABLE, normal((2,)))


@pytest.mark.parametrize(
    "name",
    [
        "util.optimization_barrier",
        "iree_tensor_ext.compute_barrier.start",
        "iree_tensor_ext.compute_barrier.end",
    ],
)
def test_barriers_give_what_they_get(run_op, normal, name) -> None:
    x = normal((2, 3))
    [out] = run_op(lambda value: ir.Operation.create(name, [value.type], [value]), x)
    np.testing.assert_array_equal(out, x)


def test_scatter_writes_the_rows_that_the_mask_lets_in(run_op, normal, rng) -> None:
    updates, into = normal((4, 3)), normal((7, 3))
    rows = rng.permutation(7)[:4].astype(np.int32)
    mask = np.array([True, False, True, True])
    [out] = run_op(lambda *values: scatter(*values).owner, updates, rows, mask, into)
    for row in range(7):
        source = next((i for i in range(4) if mask[i] and rows[i] == row), None)
        np.testing.assert_array_equal(out[row], into[row] if source is None else updates[source])
