"""The lookup on a device gives the interpreter's rows."""

import numpy as np
import pytest

EMBEDDING = """
func.func @$name(%table: tensor<11x6x$element>, %ids: tensor<${b}x${t}xi32>) -> tensor<${b}x${t}x6x$element> {
  %x = "llm.embedding"(%table, %ids)
    : (tensor<11x6x$element>, tensor<${b}x${t}xi32>) -> tensor<${b}x${t}x6x$element>
  return %x : tensor<${b}x${t}x6x$element>
}
"""


@pytest.mark.parametrize("element", ["f32", "bf16"])
@pytest.mark.parametrize(("b", "t"), [(1, 1), (3, 4)])
def test_rows_of_ids_inside_and_outside_the_table(
    b, t, element, rng, random, check_lowering
) -> None:
    ids = rng.integers(-3, 14, (b, t), dtype=np.int32)
    inputs = [random(11, 6, element=element), ids]
    check_lowering([EMBEDDING], {"b": b, "t": t}, inputs, element)
