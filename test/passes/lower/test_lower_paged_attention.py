"""Attention over pages on a device gives the interpreter's numbers."""

import numpy as np
import pytest

PAGED = """
func.func @$name(%q: tensor<${b}x${t}x6x${d}x$element>, %k: tensor<${n}x${heads}x${size}x${d}x$element>,
    %v: tensor<${n}x${heads}x${size}x${e}x$element>, %table: tensor<${b}x${m}xi32>,
    %start: tensor<${b}xi32>, %lens: tensor<${b}xi32>) -> tensor<${b}x${t}x6x${e}x$element> {
  %y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens)
    {scale = 0.3 : f64, window = $window, softcap = $softcap}
    : (tensor<${b}x${t}x6x${d}x$element>, tensor<${n}x${heads}x${size}x${d}x$element>,
       tensor<${n}x${heads}x${size}x${e}x$element>, tensor<${b}x${m}xi32>, tensor<${b}xi32>,
       tensor<${b}xi32>) -> tensor<${b}x${t}x6x${e}x$element>
  return %y : tensor<${b}x${t}x6x${e}x$element>
}
"""
RULES = [
    {"window": window, "softcap": softcap}
    for window, softcap in (("none", "none"), ("3 : i64", "2.0 : f64"))
]


def rows(lens: list[int], tokens: int, size: int, columns: int, rng) -> list[np.ndarray]:
    """A table of scattered blocks, what each row has cached, and what is new."""
    table = rng.permutation(29)[: len(lens) * columns].reshape(len(lens), columns)
    start = rng.integers(0, columns * size - tokens + 1, len(lens))
    # A row's columns past its last block may name any block.
    needed = -(-(start + lens) // size)
    table[np.arange(columns) >= needed[:, None]] = 0
    return [np.ascontiguousarray(each, np.int32) for each in (table, start, np.array(lens))]


@pytest.mark.parametrize(
    ("tokens", "lens", "heads", "size", "columns", "d", "e"),
    [
        (1, [1], 2, 16, 1, 16, 16),
        (1, [1], 1, 16, 3, 32, 32),
        (1, [1, 0, 1], 6, 5, 4, 20, 12),
        (7, [7], 3, 4, 5, 20, 20),
        (4, [4, 2, 0, 1], 1, 16, 2, 16, 48),
        (3, [3, 1], 2, 1, 9, 16, 16),
    ],
)
def test_rules_and_tables(
    tokens, lens, heads, size, columns, d, e, rng, random, variants, check_lowering
) -> None:
    batch = len(lens)
    pools = [random(29, heads, size, width) for width in (d, e)]
    inputs = [random(batch, tokens, 6, d), *pools, *rows(lens, tokens, size, columns, rng)]
    shape = {"heads": heads, "size": size, "d": d, "e": e}
    templates = variants(PAGED, *({**shape, **rule} for rule in RULES))
    check_lowering(templates, {"b": batch, "t": tokens, "m": columns, "n": 29}, inputs)


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_narrow_types(element, rng, random, variants, check_lowering) -> None:
    shapes = ((2, 3, 6, 32), (29, 2, 4, 32), (29, 2, 4, 32))
    tensors = [random(*shape, element=element) for shape in shapes]
    shape = {"heads": 2, "size": 4, "d": 32, "e": 32}
    templates = variants(PAGED, *({**shape, **rule} for rule in RULES))
    sizes = {"b": 2, "t": 3, "m": 5, "n": 29}
    check_lowering(templates, sizes, [*tensors, *rows([3, 2], 3, 4, 5, rng)], element)
