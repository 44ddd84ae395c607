"""Norms on a device give the interpreter's numbers."""

import numpy as np
import pytest

RMS_NORM = """
func.func @$name(%x: tensor<${b}x${t}x36x$element>, %w: tensor<36x$element>)
    -> tensor<${b}x${t}x36x$element> {
  %y = "llm.rms_norm"(%x, %w) {eps = 1.0e-3 : f64, weight_offset = $offset : f64}
    : (tensor<${b}x${t}x36x$element>, tensor<36x$element>) -> tensor<${b}x${t}x36x$element>
  return %y : tensor<${b}x${t}x36x$element>
}
"""
ADD_RMS_NORM = """
func.func @$name(%x: tensor<${m}x36x$element>, %r: tensor<${m}x36x$element>, %w: tensor<36x$element>)
    -> (tensor<${m}x36x$element>, tensor<${m}x36x$element>) {
  %s, %y = "llm.add_rms_norm"(%x, %r, %w) {eps = 1.0e-5 : f64, weight_offset = 1.0 : f64}
    : (tensor<${m}x36x$element>, tensor<${m}x36x$element>, tensor<36x$element>)
    -> (tensor<${m}x36x$element>, tensor<${m}x36x$element>)
  return %s, %y : tensor<${m}x36x$element>, tensor<${m}x36x$element>
}
"""
LAYER_NORM = """
func.func @$name(%x: tensor<${m}x20x$element>, %w: tensor<20x$element>, %b: tensor<20x$element>)
    -> tensor<${m}x20x$element> {
  %y = "llm.layer_norm"(%x$operands) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, $segments>}
    : (tensor<${m}x20x$element>$types) -> tensor<${m}x20x$element>
  return %y : tensor<${m}x20x$element>
}
"""


@pytest.mark.parametrize(
    ("b", "t", "element"),
    [(2, 3, "f32"), (1, 1, "f32"), (1, 40, "f32"), (2, 3, "bf16"), (1, 1, "f16")],
)
def test_rms_norm(b, t, element, random, variants, check_lowering) -> None:
    inputs = [random(b, t, 36, element=element), random(36, element=element)]
    templates = variants(RMS_NORM, {"offset": 0.0}, {"offset": 1.0})
    check_lowering(templates, {"b": b, "t": t}, inputs, element)


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_add_rms_norm(element, random, check_lowering) -> None:
    inputs = [random(*shape, element=element) for shape in ((5, 36), (5, 36), (36,))]
    check_lowering([ADD_RMS_NORM], {"m": 5}, inputs, element)


def test_layer_norm(random, variants, check_lowering) -> None:
    # A mean that is large beside the deviation: E[x^2] - E[x]^2 would cancel.
    inputs = [random(4, 20) + np.float32(50), random(20), random(20)]
    templates = variants(
        LAYER_NORM,
        *(
            {
                "operands": "".join(f", %{each}" for each in affine),
                "types": ", tensor<20xf32>" * len(affine),
                "segments": ", ".join(str(int(each in affine)) for each in "wb"),
            }
            for affine in ("", "w", "b", "wb")
        ),
    )
    check_lowering(templates, {"m": 4}, inputs)
