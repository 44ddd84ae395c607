// RUN: %octavo-opt --passes lower-paged-attention %s | FileCheck %s

// Only the table's blocks are copied out of the pools, and each of them as one line a head.
// CHECK-LABEL: func.func @paged(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<2x1x6x8xf32>, %[[K:[a-z0-9]+]]: tensor<?x2x16x8xf32>, %[[V:[a-z0-9]+]]: tensor<?x2x16x4xf32>, %[[TABLE:[a-z0-9]+]]: tensor<2x?xi32>
// CHECK:         %[[KLINES:.+]] = tensor.collapse_shape %[[K]] {{.+}} into tensor<?x2x128xf32>
// CHECK:         linalg.generic {{.+}} ins(%[[TABLE]] : tensor<2x?xi32>) outs(%{{.+}} : tensor<2x2x?x128xf32>)
// CHECK:           tensor.extract %[[TABLE]]
// CHECK:           tensor.extract %[[KLINES]]
// CHECK:         "iree_tensor_ext.compute_barrier.end"
// CHECK:         %[[VLINES:.+]] = tensor.collapse_shape %[[V]] {{.+}} into tensor<?x2x64xf32>
// CHECK:           tensor.extract %[[VLINES]]
// CHECK:         linalg.generic {{.+}} outs(%{{.+}} : tensor<2x2x3x1x?xf32>)
// CHECK:           arith.cmpi slt
// CHECK:           arith.cmpi sle
// CHECK:           math.exp
// CHECK:         tensor.collapse_shape %{{.+}} : tensor<2x1x2x3x4xf32> into tensor<2x1x6x4xf32>
func.func @paged(%q: tensor<2x1x6x8xf32>, %k: tensor<?x2x16x8xf32>, %v: tensor<?x2x16x4xf32>, %table: tensor<2x?xi32>, %start: tensor<2xi32>, %lens: tensor<2xi32>) -> tensor<2x1x6x4xf32> {
  %y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, window = none, softcap = none}
    : (tensor<2x1x6x8xf32>, tensor<?x2x16x8xf32>, tensor<?x2x16x4xf32>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x1x6x4xf32>
  return %y : tensor<2x1x6x4xf32>
}
