import numpy as np
import pytest
import torch

from octavo.errors import OctavoError


def test_fill_and_transpose(run_text, normal) -> None:
    x = normal((2, 3, 4))
    got = run_text(
        """
        func.func @main(%x: tensor<2x3x4xf32>, %c: f32) -> (tensor<4x2x3xf32>, tensor<4x2x3xf32>) {
          %0 = tensor.empty() : tensor<4x2x3xf32>
          %1 = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%0 : tensor<4x2x3xf32>)
              permutation = [2, 0, 1]
          %2 = linalg.fill ins(%c : f32) outs(%0 : tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
          return %1, %2 : tensor<4x2x3xf32>, tensor<4x2x3xf32>
        }
        """,
        x,
        np.array(2.5, np.float32),
    )
    np.testing.assert_array_equal(got[0], x.transpose(2, 0, 1))
    np.testing.assert_array_equal(got[1], np.full((4, 2, 3), 2.5))


def test_generic_broadcasts_and_permutes(run_text, normal) -> None:
    a, b = normal((3, 2)), normal((3,))
    [got] = run_text(
        """
        func.func @main(%a: tensor<3x2xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
          %0 = tensor.empty() : tensor<2x3xf32>
          %1 = linalg.generic {
              indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>,
                               affine_map<(i, j) -> (i, j)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%a, %b : tensor<3x2xf32>, tensor<3xf32>) outs(%0 : tensor<2x3xf32>) {
          ^bb0(%x: f32, %y: f32, %unused: f32):
            %s = arith.subf %x, %y : f32
            linalg.yield %s : f32
          } -> tensor<2x3xf32>
          return %1 : tensor<2x3xf32>
        }
        """,
        a,
        b,
    )
    np.testing.assert_array_equal(got, a.T - b)


MATMUL = """
func.func @main(%a: tensor<?x5xf32>, %b: tensor<4x5xf32>, %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x5xf32>, tensor<4x5xf32>) outs(%c : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %sum : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""


def test_generic_reduces_onto_its_output(run_text, normal) -> None:
    a, b, c = normal((3, 5)), normal((4, 5)), normal((3, 4))
    before = c.copy()
    [got] = run_text(MATMUL, a, b, c)
    np.testing.assert_allclose(got, a @ b.T + c, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(c, before, "the input that the output starts from was written")


def test_generic_over_nothing_gives_its_output(run_text, normal) -> None:
    [got] = run_text(MATMUL, normal((0, 5)), normal((4, 5)), normal((0, 4)))
    assert got.shape == (0, 4)


def test_generic_reduces_in_order(run_text) -> None:
    # A reduction that is not commutative: 0 * 10 + 1, then * 10 + 2, and so on over both dimensions.
    [got] = run_text(
        """
        func.func @main(%x: tensor<2x3xi32>, %zero: tensor<i32>) -> tensor<i32> {
          %0 = linalg.generic {
              indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
              iterator_types = ["reduction", "reduction"]}
              ins(%x : tensor<2x3xi32>) outs(%zero : tensor<i32>) {
          ^bb0(%digit: i32, %number: i32):
            %ten = arith.constant 10 : i32
            %shifted = arith.muli %number, %ten : i32
            %next = arith.addi %shifted, %digit : i32
            linalg.yield %next : i32
          } -> tensor<i32>
          return %0 : tensor<i32>
        }
        """,
        np.array([[1, 2, 3], [4, 5, 6]], np.int32),
        np.array(0, np.int32),
    )
    assert got == 123456


def test_generic_gathers_by_computed_indices(run_text, normal, rng) -> None:
    table, ids = normal((7, 4)), rng.integers(0, 7, (5,), np.int32)
    [got] = run_text(
        """
        func.func @main(%table: tensor<7x4xf32>, %ids: tensor<5xi32>) -> tensor<5x4xf32> {
          %0 = tensor.empty() : tensor<5x4xf32>
          %1 = linalg.generic {
              indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%ids : tensor<5xi32>) outs(%0 : tensor<5x4xf32>) {
          ^bb0(%id: i32, %unused: f32):
            %row = arith.index_cast %id : i32 to index
            %column = linalg.index 1 : index
            %value = tensor.extract %table[%row, %column] : tensor<7x4xf32>
            linalg.yield %value : f32
          } -> tensor<5x4xf32>
          return %1 : tensor<5x4xf32>
        }
        """,
        table,
        ids,
    )
    np.testing.assert_array_equal(got, table[ids])


def test_generic_gives_several_results_and_constants(run_text, normal) -> None:
    x = normal((2, 3))
    got = run_text(
        """
        func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
          %0 = tensor.empty() : tensor<2x3xf32>
          %1 = tensor.empty() : tensor<2x3xi1>
          %zero = arith.constant 0.0 : f32
          %2:2 = linalg.generic {
              indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                               affine_map<(i, j) -> (i, j)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%x : tensor<2x3xf32>) outs(%0, %1 : tensor<2x3xf32>, tensor<2x3xi1>) {
          ^bb0(%a: f32, %unused0: f32, %unused1: i1):
            %positive = arith.cmpf ogt, %a, %zero : f32
            linalg.yield %zero, %positive : f32, i1
          } -> (tensor<2x3xf32>, tensor<2x3xi1>)
          return %2#0, %2#1 : tensor<2x3xf32>, tensor<2x3xi1>
        }
        """,
        x,
    )
    np.testing.assert_array_equal(got[0], np.zeros((2, 3)))
    np.testing.assert_array_equal(got[1], x > 0)


def test_affine_maps_compute(run_text, normal) -> None:
    x = normal((9,))
    [got] = run_text(
        """
        func.func @main(%x: tensor<9xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
          %0 = linalg.generic {
              indexing_maps = [affine_map<(i) -> (i * 2 + i floordiv 2 + i mod 2 - i ceildiv 4)>,
                               affine_map<(i) -> (i)>],
              iterator_types = ["parallel"]}
              ins(%x : tensor<9xf32>) outs(%out : tensor<4xf32>) {
          ^bb0(%a: f32, %unused: f32):
            linalg.yield %a : f32
          } -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        """,
        x,
        np.zeros(4, np.float32),
    )
    np.testing.assert_array_equal(got, x[[0, 2, 4, 7]])


def test_sizes_that_do_not_agree_are_an_error(run_text, normal) -> None:
    message = r"linalg\.generic.* operands give d0 the sizes 3 and 2"
    with pytest.raises(OctavoError, match=message):
        run_text(MATMUL, normal((3, 5)), normal((4, 5)), normal((2, 4)))


def test_named_products_and_convolutions_are_torchs(run_text, normal) -> None:
    a, b = normal((2, 3, 5)), normal((2, 5, 4))
    image, kernel = normal((1, 3, 9, 8)), normal((4, 3, 3, 2))
    got = run_text(
        """
        func.func @main(%a: tensor<2x3x5xf32>, %b: tensor<2x5x4xf32>, %x: tensor<1x3x9x8xf32>,
            %w: tensor<4x3x3x2xf32>) -> (tensor<2x3x4xf32>, tensor<1x4x4x7xf32>) {
          %0 = arith.constant dense<0.0> : tensor<2x3x4xf32>
          %1 = linalg.batch_matmul ins(%a, %b : tensor<2x3x5xf32>, tensor<2x5x4xf32>)
              outs(%0 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
          %2 = arith.constant dense<0.0> : tensor<1x4x4x7xf32>
          %3 = linalg.conv_2d_nchw_fchw {strides = dense<[2, 1]> : tensor<2xi64>}
              ins(%x, %w : tensor<1x3x9x8xf32>, tensor<4x3x3x2xf32>)
              outs(%2 : tensor<1x4x4x7xf32>) -> tensor<1x4x4x7xf32>
          return %1, %3 : tensor<2x3x4xf32>, tensor<1x4x4x7xf32>
        }
        """,
        a,
        b,
        image,
        kernel,
    )
    np.testing.assert_allclose(got[0], a @ b, rtol=1e-5, atol=1e-5)
    wanted = torch.conv2d(torch.from_numpy(image), torch.from_numpy(kernel), stride=(2, 1))
    np.testing.assert_allclose(got[1], wanted.numpy(), rtol=1e-5, atol=1e-5)


def test_named_maps_and_reductions(run_text, normal) -> None:
    x = normal((3, 4))
    got = run_text(
        """
        func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>, tensor<4x3x4xf32>) {
          %0 = tensor.empty() : tensor<3x4xf32>
          %1 = linalg.exp ins(%x : tensor<3x4xf32>) outs(%0 : tensor<3x4xf32>) -> tensor<3x4xf32>
          %2 = arith.constant dense<0.0> : tensor<4xf32>
          %3 = linalg.reduce ins(%x : tensor<3x4xf32>) outs(%2 : tensor<4xf32>) dimensions = [0]
            (%each: f32, %sum: f32) {
              %4 = arith.addf %each, %sum : f32
              linalg.yield %4 : f32
            }
          %5 = tensor.empty() : tensor<4x3x4xf32>
          %6 = linalg.broadcast ins(%x : tensor<3x4xf32>) outs(%5 : tensor<4x3x4xf32>) dimensions = [0]
          return %1, %3, %6 : tensor<3x4xf32>, tensor<4xf32>, tensor<4x3x4xf32>
        }
        """,
        x,
    )
    np.testing.assert_allclose(got[0], np.exp(x), rtol=1e-6)
    np.testing.assert_allclose(got[1], x.sum(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(got[2], np.broadcast_to(x, (4, 3, 4)))
