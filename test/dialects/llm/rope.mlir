// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @whole_head(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x?x3x8xf16>, %[[COS:[a-z0-9]+]]: tensor<2x?x4xf32>, %[[SIN:[a-z0-9]+]]: tensor<2x?x4xf32>)
// CHECK:         "llm.rope"(%[[X]], %[[COS]], %[[SIN]]) {style = "neox"}
// CHECK-SAME:      : (tensor<2x?x3x8xf16>, tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x3x8xf16>
func.func @whole_head(%x: tensor<2x?x3x8xf16>, %cos: tensor<2x?x4xf32>, %sin: tensor<2x?x4xf32>)
    -> tensor<2x?x3x8xf16> {
  %y = "llm.rope"(%x, %cos, %sin) {style = "neox"}
      : (tensor<2x?x3x8xf16>, tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x3x8xf16>
  return %y : tensor<2x?x3x8xf16>
}

// CHECK-LABEL: func.func @part_of_a_head(
// CHECK:         "llm.rope"{{.*}} {style = "interleaved"} : (tensor<2x5x3x9xf32>, tensor<2x5x2xf32>
func.func @part_of_a_head(%x: tensor<2x5x3x9xf32>, %cos: tensor<2x5x2xf32>, %sin: tensor<2x5x2xf32>)
    -> tensor<2x5x3x9xf32> {
  %y = "llm.rope"(%x, %cos, %sin) {style = "interleaved"}
      : (tensor<2x5x3x9xf32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x3x9xf32>
  return %y : tensor<2x5x3x9xf32>
}
