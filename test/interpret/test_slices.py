import numpy as np


def test_extract_slice_cuts_a_window(run_text, normal) -> None:
    x = normal((6, 9))
    [got] = run_text(
        """
        func.func @main(%x: tensor<6x?xf32>, %i: index, %n: index) -> tensor<2x?xf32> {
          %0 = tensor.extract_slice %x[%i, 1] [2, %n] [2, 3] : tensor<6x?xf32> to tensor<2x?xf32>
          return %0 : tensor<2x?xf32>
        }
        """,
        x,
        np.array(1),
        np.array(3),
    )
    np.testing.assert_array_equal(got, x[1:5:2, 1:8:3])


def test_extract_slice_drops_static_ones(run_text, normal) -> None:
    x = normal((4, 1, 5))
    got = run_text(
        """
        func.func @main(%x: tensor<4x1x5xf32>, %n: index)
            -> (tensor<5xf32>, tensor<?x5xf32>, tensor<1x5xf32>, tensor<f32>) {
          %0 = tensor.extract_slice %x[2, 0, 0] [1, 1, 5] [1, 1, 1] : tensor<4x1x5xf32> to tensor<5xf32>
          %1 = tensor.extract_slice %x[2, 0, 0] [%n, 1, 5] [1, 1, 1]
              : tensor<4x1x5xf32> to tensor<?x5xf32>
          %2 = tensor.extract_slice %x[2, 0, 0] [1, 1, 5] [1, 1, 1]
              : tensor<4x1x5xf32> to tensor<1x5xf32>
          %3 = tensor.extract_slice %x[3, 0, 4] [1, 1, 1] [1, 1, 1] : tensor<4x1x5xf32> to tensor<f32>
          return %0, %1, %2, %3 : tensor<5xf32>, tensor<?x5xf32>, tensor<1x5xf32>, tensor<f32>
        }
        """,
        x,
        np.array(1),
    )
    for array, expected in zip(got, [x[2, 0], x[2:3, 0], x[2], x[3, 0, 4]], strict=True):
        assert array.shape == expected.shape
        np.testing.assert_array_equal(array, expected)


def test_insert_slice_leaves_its_inputs_alone(run_text, normal) -> None:
    small, large = normal((3,)), normal((4, 7))
    before = large.copy()
    [got] = run_text(
        """
        func.func @main(%s: tensor<3xf32>, %d: tensor<4x7xf32>, %i: index) -> tensor<4x7xf32> {
          %0 = tensor.insert_slice %s into %d[%i, 1] [1, 3] [1, 2] : tensor<3xf32> into tensor<4x7xf32>
          return %0 : tensor<4x7xf32>
        }
        """,
        small,
        large,
        np.array(2),
    )
    expected = large.copy()
    expected[2, 1:7:2] = small
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(large, before)


def test_pad_fills_by_its_region(run_text, normal) -> None:
    x = normal((2, 3))
    got = run_text(
        """
        func.func @main(%x: tensor<2x3xf32>, %n: index) -> (tensor<?x4xf32>, tensor<2x5xi32>) {
          %zero = arith.constant 0.0 : f32
          %0 = tensor.pad %x low[1, 0] high[%n, 1] {
          ^bb0(%i: index, %j: index):
            tensor.yield %zero : f32
          } : tensor<2x3xf32> to tensor<?x4xf32>
          %some = arith.constant dense<7> : tensor<2x3xi32>
          %1 = tensor.pad %some low[0, 0] high[0, 2] {
          ^bb0(%i: index, %j: index):
            %k = arith.index_cast %j : index to i32
            tensor.yield %k : i32
          } : tensor<2x3xi32> to tensor<2x5xi32>
          return %0, %1 : tensor<?x4xf32>, tensor<2x5xi32>
        }
        """,
        x,
        np.array(2),
    )
    np.testing.assert_array_equal(got[0], np.pad(x, [(1, 2), (0, 1)]))
    np.testing.assert_array_equal(got[1], [[7, 7, 7, 3, 4]] * 2)
