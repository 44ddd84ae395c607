// RUN: %octavo-opt --passes lower-embedding %s | FileCheck %s

// An id is bounded by the table before it is used.
// CHECK-LABEL: func.func @lookup(
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<11x6xbf16>, %[[IDS:[a-z0-9]+]]: tensor<2x?xi32>)
// CHECK:         linalg.generic {{.+}} ins(%[[IDS]] : tensor<2x?xi32>) outs(%{{.+}} : tensor<2x?x6xbf16>)
// CHECK:         ^bb0(%[[ID:.+]]: i32,
// CHECK:           arith.maxsi %[[ID]],
// CHECK:           arith.minsi
// CHECK:           %[[ROW:.+]] = arith.index_cast
// CHECK:           %[[PLACE:.+]] = linalg.index 2
// CHECK:           tensor.extract %[[TABLE]][%[[ROW]], %[[PLACE]]]
func.func @lookup(%table: tensor<11x6xbf16>, %ids: tensor<2x?xi32>) -> tensor<2x?x6xbf16> {
  %x = "llm.embedding"(%table, %ids) : (tensor<11x6xbf16>, tensor<2x?xi32>) -> tensor<2x?x6xbf16>
  return %x : tensor<2x?x6xbf16>
}

// CHECK-LABEL: func.func @other(
// CHECK:         llm.scale
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
