"""The cache's update on a device gives the interpreter's pool: what is not written is as it was."""

import numpy as np
import pytest

KV_WRITE = """
func.func @$name(%pool: tensor<${n}x3x${size}x${d}x$element>, %new: tensor<${b}x${t}x3x${d}x$element>,
    %table: tensor<${b}x${m}xi32>, %start: tensor<${b}xi32>, %lens: tensor<${b}xi32>)
    -> tensor<${n}x3x${size}x${d}x$element> {
  %y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<${n}x3x${size}x${d}x$element>, tensor<${b}x${t}x3x${d}x$element>, tensor<${b}x${m}xi32>,
       tensor<${b}xi32>, tensor<${b}xi32>) -> tensor<${n}x3x${size}x${d}x$element>
  return %y : tensor<${n}x3x${size}x${d}x$element>
}
"""


def rows(lens: list[int], tokens: int, size: int, rng: np.random.Generator) -> list[np.ndarray]:
    """A table of scattered blocks, what each row has cached, and what is new."""
    columns = 4
    table = rng.permutation(19)[: len(lens) * columns].reshape(len(lens), columns)
    start = rng.integers(0, columns * size - tokens + 1, len(lens))
    # The places of an idle row may belong to another one, and its padding may stand past the table.
    idle = np.array(lens) == 0
    table[idle] = 0
    start[idle] = columns * size
    return [np.ascontiguousarray(each, np.int32) for each in (table, start, np.array(lens))]


@pytest.mark.parametrize(
    ("tokens", "lens", "size", "d"),
    [(1, [1], 16, 20), (1, [0, 1, 1], 5, 16), (4, [4, 2, 0, 1], 16, 64), (4, [4, 2], 1, 3)],
)
def test_writes_what_is_new_alone(
    tokens, lens, size, d, rng, random, variants, check_lowering
) -> None:
    pool, new = random(19, 3, size, d), random(len(lens), tokens, 3, d)
    inputs = [pool, new, *rows(lens, tokens, size, rng)]
    templates = variants(KV_WRITE, {"size": size, "d": d})
    check_lowering(templates, {"n": 19, "b": len(lens), "t": tokens, "m": 4}, inputs)


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_narrow_types(element, rng, random, variants, check_lowering) -> None:
    pool, new = (random(*shape, element=element) for shape in ((19, 3, 4, 20), (2, 3, 3, 20)))
    inputs = [pool, new, *rows([3, 2], 3, 4, rng)]
    templates = variants(KV_WRITE, {"size": 4, "d": 20})
    check_lowering(templates, {"n": 19, "b": 2, "t": 3, "m": 4}, inputs, element)


def test_what_is_written_is_finite(random, variants, compile_text) -> None:
    pool, new = np.zeros((1, 3, 4, 8), np.float32), random(1, 3, 3, 8)
    new[0, 0], new[0, 1], new[0, 2] = np.inf, -np.inf, np.nan
    row = [np.array(each, np.int32) for each in ([[0]], [0], [3])]
    [text] = variants(
        KV_WRITE,
        {"name": "main", "size": 4, "d": 8, "n": 1, "b": 1, "t": 3, "m": 1, "element": "f32"},
    )
    _, program = compile_text(text)
    [written] = program("main", pool, new, *row)
    greatest = np.finfo(np.float32).max
    assert (written[0, :, 0] == greatest).all()
    assert (written[0, :, 1] == -greatest).all()
    assert (np.abs(written[0, :, 2]) == greatest).all()
