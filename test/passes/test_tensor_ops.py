"""Builders of shape operations: right types, and right values in the interpreter."""

import itertools
from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np
import pytest

from octavo.interpret import evaluate
from octavo.mlir import func, ir
from octavo.passes.tensor_ops import (
    DYNAMIC,
    cast_float,
    collapse,
    dim,
    dynamic_dims,
    expand,
    extract_slice,
    reassociation,
    transpose,
)

B, T = -1, -2  # labels of dynamic sizes
Run = Callable[..., tuple[np.ndarray, str]]


@pytest.fixture
def run(context: ir.Context) -> Run:
    """Build on a tensor of a declared shape; return the result and its type: `run(build, x, shape)`."""

    def evaluate_built(
        build: Callable[[ir.Value], ir.Value], x: np.ndarray, shape: Sequence[int]
    ) -> tuple[np.ndarray, str]:
        with ir.Location.unknown(context):
            module = ir.Module.create()
            kind = ir.RankedTensorType.get(list(shape), ir.F32Type.get())
            with ir.InsertionPoint(module.body):
                main = func.FuncOp("main", ([kind], []))
            block = main.add_entry_block()
            with ir.InsertionPoint(block):
                result = build(block.arguments[0])
                func.ReturnOp([result])
            main.function_type = ir.TypeAttr.get(ir.FunctionType.get([kind], [result.type]))
            module.operation.verify()
            [array] = evaluate(module, [x])
            return array, str(result.type)

    return evaluate_built


def declared(shape: Sequence[int], dynamic: bool) -> list[int]:
    return [DYNAMIC, *shape[1:]] if dynamic else list(shape)


@pytest.mark.parametrize("dynamic", [True, False])
def test_transpose(dynamic, rng, run: Run) -> None:
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    permutation = [int(axis) for axis in rng.permutation(3)]
    got, _ = run(lambda value: transpose(value, permutation), x, declared(x.shape, dynamic))
    np.testing.assert_array_equal(got, np.transpose(x, permutation))


@pytest.mark.parametrize("dynamic", [True, False])
def test_expand_and_collapse(dynamic, rng, run: Run) -> None:
    x = rng.standard_normal((5, 12)).astype(np.float32)
    shape = declared((5, 3, 4), dynamic)

    def split(value: ir.Value) -> ir.Value:
        return expand(value, shape, [[0], [1, 2]], dynamic_dims(value))

    got, _ = run(split, x, declared(x.shape, dynamic))
    np.testing.assert_array_equal(got, x.reshape(5, 3, 4))

    def merged(value: ir.Value) -> ir.Value:
        return collapse(split(value), declared((15, 4), dynamic), [[0, 1], [2]])

    got, kind = run(merged, x, declared(x.shape, dynamic))
    np.testing.assert_array_equal(got, x.reshape(15, 4))
    assert kind == ("tensor<?x4xf32>" if dynamic else "tensor<15x4xf32>")


@pytest.mark.parametrize("dynamic", [True, False])
def test_extract_slice(dynamic, rng, run: Run) -> None:
    x = rng.standard_normal((5, 12)).astype(np.float32)
    got, kind = run(lambda value: extract_slice(value, 1, 4, 7), x, declared(x.shape, dynamic))
    np.testing.assert_array_equal(got, x[:, 4:11])
    assert kind == ("tensor<?x7xf32>" if dynamic else "tensor<5x7xf32>")


def test_a_static_size_is_a_constant(context: ir.Context) -> None:
    with ir.Location.unknown(context):
        module = ir.Module.parse("func.func @f(%x: tensor<?x8xf32>) { return }")
        block = module.body.operations[0].regions[0].blocks[0]
        with ir.InsertionPoint.at_block_begin(block):
            sizes = [dim(block.arguments[0], axis) for axis in (0, 1)]
    assert [size.owner.name for size in sizes] == ["tensor.dim", "arith.constant"]


def test_cast_float_widens_rounds_and_leaves_alone(rng, run: Run) -> None:
    x = rng.standard_normal((3, 4)).astype(np.float32)
    rounded = x.astype(ml_dtypes.bfloat16)

    def narrow(value: ir.Value) -> ir.Value:
        return cast_float(value, ir.BF16Type.get())

    got, kind = run(narrow, x, [DYNAMIC, 4])
    assert kind == "tensor<?x4xbf16>"
    np.testing.assert_array_equal(got, rounded)
    got, _ = run(lambda value: cast_float(narrow(value), ir.F32Type.get()), x, [3, 4])
    np.testing.assert_array_equal(got, rounded.astype(np.float32))
    got, _ = run(lambda value: cast_float(value, ir.F32Type.get()), x, [3, 4])
    np.testing.assert_array_equal(got, x)


@pytest.mark.parametrize(
    ("long", "short", "expected"),
    [
        ([B, T, 4, 16], [B, T, 64], [[0], [1], [2, 3]]),
        ([B, T, 64], [B, None], [[0], [1, 2]]),
        ([B, T, 64], [None, 64], [[0, 1], [2]]),
        ([B, 4, T, 16], [B, None, 16], [[0], [1, 2], [3]]),
        ([B, 1, T, 1], [B, T], [[0], [1, 2, 3]]),
        ([1, 1, 8], [8], [[0, 1, 2]]),
        ([2, 3, 4], [24], [[0, 1, 2]]),
        ([B, T, 64], [T, B, 64], None),
        ([B, T, 8], [T, None], None),
        ([4, 6], [6, 4], None),
        ([2, 3, 4], [4, 6], None),
        ([B, T], [B], None),
        ([8], [], None),
    ],
)
def test_axes_are_grouped(long, short, expected) -> None:
    assert reassociation(long, short) == expected


def test_any_merge_of_axes_is_found(rng) -> None:
    for _ in range(50):
        long = [int(size) for size in rng.choice([1, 2, 3, 5, 7], size=int(rng.integers(1, 7)))]
        cuts = sorted({0, *(int(cut) for cut in rng.integers(0, len(long), 2)), len(long)})
        groups = [list(range(a, b)) for a, b in itertools.pairwise(cuts)]
        short = [int(np.prod([long[axis] for axis in group])) for group in groups]
        found = reassociation(long, short)
        assert found is not None
        assert [axis for group in found for axis in group] == list(range(len(long)))
        assert [int(np.prod([long[axis] for axis in group])) for group in found] == short
