"""Positions, tables and rotations on a device give the interpreter's numbers."""

import numpy as np
import pytest

POSITIONS = """
func.func @$name(%tokens: tensor<${b}x${t}xi32>, %start: tensor<${b}xi32>, %lens: tensor<${b}xi32>)
    -> tensor<${b}x${t}xi32> {
  %p = "llm.positions"(%tokens, %start, %lens)
    : (tensor<${b}x${t}xi32>, tensor<${b}xi32>, tensor<${b}xi32>) -> tensor<${b}x${t}xi32>
  return %p : tensor<${b}x${t}xi32>
}
"""
TABLE = """
func.func @$name(%p: tensor<${b}x${t}xi32>, %f: tensor<10xf32>)
    -> (tensor<${b}x${t}x10xf32>, tensor<${b}x${t}x10xf32>) {
  %cos, %sin = "llm.rope_table"(%p, %f) {scaling = 1.25 : f64}
    : (tensor<${b}x${t}xi32>, tensor<10xf32>) -> (tensor<${b}x${t}x10xf32>, tensor<${b}x${t}x10xf32>)
  return %cos, %sin : tensor<${b}x${t}x10xf32>, tensor<${b}x${t}x10xf32>
}
"""
ROPE = """
func.func @$name(%x: tensor<${b}x${t}x3x${d}x$element>, %cos: tensor<${b}x${t}x10xf32>,
    %sin: tensor<${b}x${t}x10xf32>) -> tensor<${b}x${t}x3x${d}x$element> {
  %y = "llm.rope"(%x, %cos, %sin) {style = "$style"}
    : (tensor<${b}x${t}x3x${d}x$element>, tensor<${b}x${t}x10xf32>, tensor<${b}x${t}x10xf32>)
    -> tensor<${b}x${t}x3x${d}x$element>
  return %y : tensor<${b}x${t}x3x${d}x$element>
}
"""


def test_positions(rng, check_lowering) -> None:
    tokens, start = np.zeros((3, 5), np.int32), rng.integers(0, 1000, 3, dtype=np.int32)
    inputs = [tokens, start, np.array([5, 0, 2], np.int32)]
    check_lowering([POSITIONS], {"b": 3, "t": 5}, inputs)


@pytest.mark.parametrize("largest", [10, 200_000])
def test_tables_are_exact_at_every_position(largest, rng, check_lowering) -> None:
    positions = rng.integers(0, largest, (2, 70), dtype=np.int32)
    frequencies = (10_000.0 ** -np.linspace(0, 1, 10)).astype(np.float32)
    check_lowering([TABLE], {"b": 2, "t": 70}, [positions, frequencies])


@pytest.mark.parametrize(("d", "element"), [(20, "f32"), (27, "f32"), (26, "bf16")])
def test_rotation_of_a_head_or_its_front(d, element, rng, random, variants, check_lowering) -> None:
    angles = rng.uniform(0, 6, (2, 4, 10))
    tables = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
    inputs = [random(2, 4, 3, d, element=element), *tables]
    styles = [{"d": d, "style": style} for style in ("neox", "interleaved")]
    check_lowering(variants(ROPE, *styles), {"b": 2, "t": 4}, inputs, element)
