// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x8xf16>, %[[W:[a-z0-9]+]]: tensor<100x8xf16>, %[[LENS:[a-z0-9]+]]: tensor<?xi32>)
// CHECK:         "llm.logits"(%[[X]], %[[W]], %[[LENS]]) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
// CHECK-SAME:      : (tensor<?x?x8xf16>, tensor<100x8xf16>, tensor<?xi32>) -> tensor<?x100xf32>
func.func @plain(%x: tensor<?x?x8xf16>, %w: tensor<100x8xf16>, %lens: tensor<?xi32>) -> tensor<?x100xf32> {
  %y = "llm.logits"(%x, %w, %lens) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
      : (tensor<?x?x8xf16>, tensor<100x8xf16>, tensor<?xi32>) -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x8xf32>, %[[W:[a-z0-9]+]]: tensor<9x8xf32>,
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<9xf32>, %[[LENS:[a-z0-9]+]]: tensor<2xi32>)
// CHECK:         "llm.logits"(%[[X]], %[[W]], %[[B]], %[[LENS]]) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
func.func @bias(%x: tensor<2x3x8xf32>, %w: tensor<9x8xf32>, %b: tensor<9xf32>, %lens: tensor<2xi32>)
    -> tensor<2x9xf32> {
  %y = "llm.logits"(%x, %w, %b, %lens) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<9xf32>, tensor<2xi32>) -> tensor<2x9xf32>
  return %y : tensor<2x9xf32>
}
