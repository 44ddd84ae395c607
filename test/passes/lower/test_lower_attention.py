"""Attention on a device gives the interpreter's numbers."""

import numpy as np
import pytest

ATTENTION = """
func.func @$name(%q: tensor<${b}x${t}x6x20x$element>, %k: tensor<${b}x${s}x${heads}x20x$element>,
    %v: tensor<${b}x${s}x${heads}x12x$element>) -> tensor<${b}x${t}x6x12x$element> {
  %y = "llm.attention"(%q, %k, %v) {
    operandSegmentSizes = array<i32: 1, 1, 1, 0>,
    scale = 0.3 : f64, causal = $causal, window = $window, softcap = $softcap
  } : (tensor<${b}x${t}x6x20x$element>, tensor<${b}x${s}x${heads}x20x$element>,
       tensor<${b}x${s}x${heads}x12x$element>) -> tensor<${b}x${t}x6x12x$element>
  return %y : tensor<${b}x${t}x6x12x$element>
}
"""
MASKED = """
func.func @$name(%q: tensor<2x${t}x6x8xf32>, %k: tensor<2x${s}x2x8xf32>,
    %m: tensor<${rows}x${mask_heads}x${t}x${s}x$mask>) -> tensor<2x${t}x6x8xf32> {
  %y = "llm.attention"(%q, %k, %k, %m) {
    operandSegmentSizes = array<i32: 1, 1, 1, 1>,
    scale = 0.3 : f64, causal = false, window = none, softcap = none
  } : (tensor<2x${t}x6x8xf32>, tensor<2x${s}x2x8xf32>, tensor<2x${s}x2x8xf32>,
       tensor<${rows}x${mask_heads}x${t}x${s}x$mask>) -> tensor<2x${t}x6x8xf32>
  return %y : tensor<2x${t}x6x8xf32>
}
"""
RULES = [
    {"causal": causal, "window": window, "softcap": softcap}
    for causal, window, softcap in (
        ("false", "none", "none"),
        ("true", "none", "2.0 : f64"),
        ("true", "3 : i64", "none"),
    )
]


@pytest.mark.parametrize(
    ("b", "t", "s", "heads"), [(1, 1, 7, 6), (2, 5, 5, 2), (1, 4, 9, 1), (2, 1, 1, 3)]
)
def test_rules_and_groups(b, t, s, heads, random, variants, check_lowering) -> None:
    inputs = [random(b, t, 6, 20), random(b, s, heads, 20), random(b, s, heads, 12)]
    templates = variants(ATTENTION, *({**rule, "heads": heads} for rule in RULES))
    check_lowering(templates, {"b": b, "t": t, "s": s}, inputs)


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_narrow_types(element, random, variants, check_lowering) -> None:
    shapes = ((2, 5, 6, 20), (2, 5, 2, 20), (2, 5, 2, 12))
    inputs = [random(*shape, element=element) for shape in shapes]
    templates = variants(ATTENTION, *({**rule, "heads": 2} for rule in RULES))
    check_lowering(templates, {"b": 2, "t": 5, "s": 5}, inputs, element)


@pytest.mark.parametrize(
    ("rows", "mask_heads", "mask"), [(1, 1, "i1"), (2, 1, "f32"), (1, 6, "f32"), (2, 6, "i1")]
)
def test_masks(rows, mask_heads, mask, rng, random, variants, check_lowering) -> None:
    seen = rng.random((rows, mask_heads, 4, 9)) < 0.6
    seen[:, :, 1] = False  # a query that sees nothing gives 0
    added = np.where(seen, random(rows, mask_heads, 4, 9), np.float32(-np.inf))
    inputs = [random(2, 4, 6, 8), random(2, 9, 2, 8), seen if mask == "i1" else added]
    templates = variants(MASKED, {"rows": rows, "mask_heads": mask_heads, "mask": mask})
    check_lowering(templates, {"t": 4, "s": 9}, inputs)
