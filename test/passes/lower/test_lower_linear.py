"""Products on a device give the interpreter's numbers."""

import numpy as np
import pytest

LINEAR = """
func.func @$name(%x: tensor<${rows}20x$element>, %w: tensor<12x20x$element>, %b: tensor<12x$element>,
    %r: tensor<${rows}12x$element>) -> tensor<${rows}12x$element> {
  %y = "llm.linear"(%x, %w$operands) {operandSegmentSizes = array<i32: 1, 1, $segments>}
    : (tensor<${rows}20x$element>, tensor<12x20x$element>$types) -> tensor<${rows}12x$element>
  return %y : tensor<${rows}12x$element>
}
"""
LOGITS = """
func.func @$name(%x: tensor<${b}x${t}x20xf32>, %w: tensor<31x20xf32>, %bias: tensor<31xf32>,
    %lens: tensor<${b}xi32>) -> tensor<${b}x31xf32> {
  %y = "llm.logits"(%x, %w, $operand %lens) {operandSegmentSizes = array<i32: 1, 1, $count, 1>}
    : (tensor<${b}x${t}x20xf32>, tensor<31x20xf32>, $type tensor<${b}xi32>) -> tensor<${b}x31xf32>
  return %y : tensor<${b}x31xf32>
}
"""
LAST_TOKEN = """
func.func @$name(%x: tensor<${b}x${t}x3x7xf32>, %lens: tensor<${b}xi32>) -> tensor<${b}x3x7xf32> {
  %y = "llm.last_token"(%x, %lens) : (tensor<${b}x${t}x3x7xf32>, tensor<${b}xi32>) -> tensor<${b}x3x7xf32>
  return %y : tensor<${b}x3x7xf32>
}
"""
TYPES = {"b": ", tensor<12x$element>", "r": ", tensor<${rows}12x$element>"}


def linears(rows: str) -> list[str]:
    """Templates of products with and without a bias and a residual; `rows` are the axes before the last."""
    texts = []
    for terms in ("", "b", "r", "br"):
        text = LINEAR.replace("$operands", "".join(f", %{term}" for term in terms))
        text = text.replace("$types", "".join(TYPES[term] for term in terms))
        text = text.replace("$segments", ", ".join(str(int(term in terms)) for term in "br"))
        texts.append(text.replace("${rows}", rows))
    return texts


@pytest.mark.parametrize(
    ("sizes", "element"),
    [
        ({"b": 2, "t": 5}, "f32"),
        ({"b": 2, "t": 5}, "bf16"),
        ({}, "f32"),
        ({"m": 1}, "f32"),
        ({"m": 1}, "f16"),
        ({"a": 2, "b": 1, "t": 3}, "f32"),
    ],
)
def test_linear(sizes, element, random, check_lowering) -> None:
    shape = tuple(sizes.values())
    shapes = ((*shape, 20), (12, 20), (12,), (*shape, 12))
    inputs = [random(*each, element=element) for each in shapes]
    templates = linears("".join(f"${{{name}}}x" for name in sizes))
    check_lowering(templates, sizes, inputs, element)


@pytest.mark.parametrize("lens", [[3, 0, 1], [4]])
def test_logits(lens, random, variants, check_lowering) -> None:
    batch = len(lens)
    inputs = [random(batch, 4, 20), random(31, 20), random(31), np.array(lens, np.int32)]
    templates = variants(
        LOGITS,
        {"operand": "", "type": "", "count": 0},
        {"operand": "%bias,", "type": "tensor<31xf32>,", "count": 1},
    )
    check_lowering(templates, {"b": batch, "t": 4}, inputs)


@pytest.mark.parametrize("lens", [[3, 0, 1], [1]])
def test_last_token(lens, random, check_lowering) -> None:
    inputs = [random(len(lens), 4, 3, 7), np.array(lens, np.int32)]
    check_lowering([LAST_TOKEN], {"b": len(lens), "t": 4}, inputs)
