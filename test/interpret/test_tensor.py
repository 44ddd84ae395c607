import numpy as np
import pytest


def test_empty_is_nan_so_that_reading_it_shows(run_text) -> None:
    got = run_text(
        """
        func.func @main(%n: index) -> (tensor<2x?xf32>, tensor<2xi32>) {
          %0 = tensor.empty(%n) : tensor<2x?xf32>
          %1 = tensor.empty() : tensor<2xi32>
          return %0, %1 : tensor<2x?xf32>, tensor<2xi32>
        }
        """,
        np.array(3),
    )
    np.testing.assert_array_equal(got[0], np.full((2, 3), np.nan))
    assert got[1].shape == (2,)


def test_splat_and_from_elements(run_text) -> None:
    got = run_text(
        """
        func.func @main(%x: f32, %y: f32, %n: index) -> (tensor<2x?xf32>, tensor<2x1xf32>) {
          %0 = tensor.splat %x[%n] : tensor<2x?xf32>
          %1 = tensor.from_elements %x, %y : tensor<2x1xf32>
          return %0, %1 : tensor<2x?xf32>, tensor<2x1xf32>
        }
        """,
        np.array(1.5, np.float32),
        np.array(2.5, np.float32),
        np.array(3),
    )
    np.testing.assert_array_equal(got[0], np.full((2, 3), 1.5))
    np.testing.assert_array_equal(got[1], [[1.5], [2.5]])


def test_dim_and_extract(run_text, normal) -> None:
    x = normal((3, 4))
    got = run_text(
        """
        func.func @main(%x: tensor<?x4xf32>, %i: index) -> (index, f32) {
          %zero = arith.constant 0 : index
          %0 = tensor.dim %x, %zero : tensor<?x4xf32>
          %1 = tensor.extract %x[%i, %zero] : tensor<?x4xf32>
          return %0, %1 : index, f32
        }
        """,
        x,
        np.array(2),
    )
    assert got[0] == 3
    assert got[1] == x[2, 0]


def test_reshapes_keep_the_order(run_text, normal) -> None:
    x = normal((3, 8))
    got = run_text(
        """
        func.func @main(%x: tensor<?x8xf32>, %n: index, %s: tensor<2xindex>)
            -> (tensor<?x2x4xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<3x8xf32>, tensor<f32>) {
          %0 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 4]
              : tensor<?x8xf32> into tensor<?x2x4xf32>
          %1 = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<?x2x4xf32> into tensor<?xf32>
          %2 = tensor.reshape %x(%s) : (tensor<?x8xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          %3 = tensor.cast %x : tensor<?x8xf32> to tensor<3x8xf32>
          %4 = tensor.extract_slice %3[0, 0] [1, 1] [1, 1] : tensor<3x8xf32> to tensor<1x1xf32>
          %5 = tensor.collapse_shape %4 [] : tensor<1x1xf32> into tensor<f32>
          return %0, %1, %2, %3, %5
              : tensor<?x2x4xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<3x8xf32>, tensor<f32>
        }
        """,
        x,
        np.array(3),
        np.array([6, 4]),
    )
    for array, shape in zip(got[:4], [(3, 2, 4), (24,), (6, 4), (3, 8)], strict=True):
        np.testing.assert_array_equal(array, x.reshape(shape))
    assert got[4].shape == ()
    assert got[4] == x[0, 0]


def test_concat(run_text, normal) -> None:
    a, b = normal((2, 3)), normal((2, 1))
    [got] = run_text(
        """
        func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x4xf32> {
          %0 = tensor.concat dim(1) %a, %b : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
          return %0 : tensor<2x4xf32>
        }
        """,
        a,
        b,
    )
    np.testing.assert_array_equal(got, np.concatenate([a, b], 1))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_dynamic_sizes_come_in_order(run_text, order) -> None:
    sizes = [np.array(size) for size in np.array([2, 5])[list(order)]]
    [got] = run_text(
        """
        func.func @main(%m: index, %n: index) -> tensor<?x3x?xf32> {
          %0 = tensor.empty(%m, %n) : tensor<?x3x?xf32>
          return %0 : tensor<?x3x?xf32>
        }
        """,
        *sizes,
    )
    assert got.shape == (sizes[0], 3, sizes[1])
