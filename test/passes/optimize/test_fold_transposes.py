"""Folded transposes put every value where the two did."""

import numpy as np
import pytest


def transpose(
    source: str, old: list[int], permutation: list[int], name: str
) -> tuple[str, list[int]]:
    new = [old[axis] for axis in permutation]
    old_type, new_type = (f"tensor<{'x'.join(map(str, sizes))}xf32>" for sizes in (old, new))
    text = f"""
      %{name}_init = tensor.empty() : {new_type}
      %{name} = linalg.transpose ins({source} : {old_type}) outs(%{name}_init : {new_type})
        permutation = {permutation}
    """
    return text, new


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_three_random_transposes(rank, rng, check_pass) -> None:
    sizes = [int(size) for size in rng.permutation([2, 3, 4, 5])[:rank]]
    in_order = list(range(rank))
    shape, source, body = sizes, "%x", ""
    combined, changes = in_order, 0
    for name in ("a", "b", "c"):
        permutation = in_order
        while permutation == in_order:
            permutation = [int(axis) for axis in rng.permutation(rank)]
        changes += combined != in_order  # one that meets another before it
        combined = [combined[axis] for axis in permutation]
        text, shape = transpose(source, shape, permutation, name)
        source, body = f"%{name}", body + text
    in_type, out_type = (f"tensor<{'x'.join(map(str, each))}xf32>" for each in (sizes, shape))
    module = (
        f"func.func @main(%x: {in_type}) -> {out_type} {{ {body} return {source} : {out_type} }}"
    )
    x = rng.standard_normal(sizes).astype(np.float32)
    check_pass(module, "fold-transposes", [x], changes=changes, tolerance=0)


def test_axes_of_dynamic_sizes(rng, check_pass) -> None:
    text = """
      func.func @main(%x: tensor<?x?x4xf32>) -> tensor<4x?x?xf32> {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %0 = tensor.dim %x, %c0 : tensor<?x?x4xf32>
        %1 = tensor.dim %x, %c1 : tensor<?x?x4xf32>
        %e = tensor.empty(%1, %0) : tensor<?x?x4xf32>
        %y = linalg.transpose ins(%x : tensor<?x?x4xf32>) outs(%e : tensor<?x?x4xf32>) permutation = [1, 0, 2]
        %f = tensor.empty(%1, %0) : tensor<4x?x?xf32>
        %z = linalg.transpose ins(%y : tensor<?x?x4xf32>) outs(%f : tensor<4x?x?xf32>) permutation = [2, 0, 1]
        return %z : tensor<4x?x?xf32>
      }
    """
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    check_pass(text, "fold-transposes", [x], tolerance=0)
