// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @weight_and_bias(
// CHECK:         "llm.layer_norm"(%{{.+}}, %{{.+}}, %{{.+}}) {eps = {{.+}} : f64, operandSegmentSizes = array<i32: 1, 1, 1>}
// CHECK-SAME:      : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
func.func @weight_and_bias(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = "llm.layer_norm"(%x, %w, %b) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1>}
      : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @bias_alone(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>, %[[B:[a-z0-9]+]]: tensor<8xf32>)
// CHECK:         "llm.layer_norm"(%[[X]], %[[B]]) {{.*}}operandSegmentSizes = array<i32: 1, 0, 1>
func.func @bias_alone(%x: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %y = "llm.layer_norm"(%x, %b) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @plain(
// CHECK:         "llm.layer_norm"(%{{.+}}) {{.*}}operandSegmentSizes = array<i32: 1, 0, 0>
func.func @plain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = "llm.layer_norm"(%x) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
