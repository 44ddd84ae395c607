// RUN: %octavo-opt --passes lower-kv-write %s | FileCheck %s

// One row of the scatter for each token and head; padding is masked out; what is written is finite.
// CHECK-LABEL: func.func @write(
// CHECK-SAME:    %[[POOL:[a-z0-9]+]]: tensor<?x3x16x8xf32>, %[[NEW:[a-z0-9]+]]: tensor<2x5x3x8xf32>, %[[TABLE:[a-z0-9]+]]: tensor<2x?xi32>
// CHECK:         linalg.generic {{.+}} ins(%[[NEW]] :
// CHECK-COUNT-2:   arith.select
// CHECK:           tensor.extract %[[TABLE]]
// CHECK:           arith.cmpi slt
// CHECK:         tensor.collapse_shape %{{.+}} : tensor<2x5x3x8xf32> into tensor<30x8xf32>
// CHECK-COUNT-3: "iree_tensor_ext.compute_barrier.start"
// CHECK:         %[[LINES:.+]] = tensor.collapse_shape %[[POOL]] {{.+}} : tensor<?x3x16x8xf32> into tensor<?x8xf32>
// CHECK:         %[[WRITTEN:.+]] = "iree_linalg_ext.scatter"(%{{.+}}, %{{.+}}, %{{.+}}, %[[LINES]])
// CHECK:         }) {dimension_map = array<i64: 0>, unique_indices = true} : (tensor<30x8xf32>, tensor<30xi32>, tensor<30xi1>, tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK:         tensor.expand_shape %[[WRITTEN]]
func.func @write(%pool: tensor<?x3x16x8xf32>, %new: tensor<2x5x3x8xf32>, %table: tensor<2x?xi32>, %start: tensor<2xi32>, %lens: tensor<2xi32>) -> tensor<?x3x16x8xf32> {
  %y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf32>, tensor<2x5x3x8xf32>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf32>
  return %y : tensor<?x3x16x8xf32>
}
