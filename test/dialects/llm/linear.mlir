// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @plain(
// CHECK:         "llm.linear"(%{{.+}}, %{{.+}}) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
// CHECK-SAME:      : (tensor<2x?x8xbf16>, tensor<16x8xbf16>) -> tensor<2x?x16xf32>
func.func @plain(%x: tensor<2x?x8xbf16>, %w: tensor<16x8xbf16>) -> tensor<2x?x16xf32> {
  %y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
      : (tensor<2x?x8xbf16>, tensor<16x8xbf16>) -> tensor<2x?x16xf32>
  return %y : tensor<2x?x16xf32>
}

// CHECK-LABEL: func.func @bias_and_residual(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x8xf32>, %[[W:[a-z0-9]+]]: tensor<4x8xf32>,
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<4xf32>, %[[R:[a-z0-9]+]]: tensor<2x4xf32>)
// CHECK:         "llm.linear"(%[[X]], %[[W]], %[[B]], %[[R]]) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
func.func @bias_and_residual(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>, %b: tensor<4xf32>,
                             %r: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = "llm.linear"(%x, %w, %b, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @residual_alone(
// CHECK:         "llm.linear"(%{{.+}}, %{{.+}}, %{{.+}}) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
func.func @residual_alone(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>, %r: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = "llm.linear"(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
