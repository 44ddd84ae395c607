// RUN: %octavo-opt --passes lower-attention %s | FileCheck %s

// Heads of a group share keys and values without a copy; scores, softmax and sums are in f32.
// CHECK-LABEL: func.func @causal(
// CHECK:         %[[Q:.+]] = tensor.expand_shape %{{.+}} : tensor<1x3x6x8xbf16> into tensor<1x3x2x3x8xbf16>
// CHECK:         linalg.generic {{.+}} ins(%[[Q]], %{{.+}} : tensor<1x3x2x3x8xbf16>, tensor<1x?x2x8xbf16>) outs(%{{.+}} : tensor<1x2x3x3x?xf32>)
// CHECK:         linalg.generic
// CHECK:           math.tanh
// CHECK:           arith.cmpi sle
// CHECK:           arith.select
// CHECK:           arith.cmpi slt
// CHECK:           arith.select
// CHECK:         linalg.generic
// CHECK:           arith.maximumf
// CHECK:         linalg.generic
// CHECK:           math.exp
// CHECK:         tensor.collapse_shape %{{.+}} : tensor<1x3x2x3x8xbf16> into tensor<1x3x6x8xbf16>
func.func @causal(%q: tensor<1x3x6x8xbf16>, %k: tensor<1x?x2x8xbf16>) -> tensor<1x3x6x8xbf16> {
  %y = "llm.attention"(%q, %k, %k) {operandSegmentSizes = array<i32: 1, 1, 1, 0>, scale = 0.5 : f64, causal = true, window = 4 : i64, softcap = 9.0 : f64}
    : (tensor<1x3x6x8xbf16>, tensor<1x?x2x8xbf16>, tensor<1x?x2x8xbf16>) -> tensor<1x3x6x8xbf16>
  return %y : tensor<1x3x6x8xbf16>
}

// A mask for all rows and heads is read along its own axes.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %[[MASK:[a-z0-9]+]]: tensor<1x1x3x7xi1>
// CHECK:         linalg.generic {{.+}} ins(%{{.+}}, %[[MASK]] : tensor<2x2x3x3x7xf32>, tensor<1x1x3x7xi1>)
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.select
func.func @masked(%q: tensor<2x3x6x8xf32>, %k: tensor<2x7x2x8xf32>, %m: tensor<1x1x3x7xi1>) -> tensor<2x3x6x8xf32> {
  %y = "llm.attention"(%q, %k, %k, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 1>, scale = 0.5 : f64, causal = false, window = none, softcap = none}
    : (tensor<2x3x6x8xf32>, tensor<2x7x2x8xf32>, tensor<2x7x2x8xf32>, tensor<1x1x3x7xi1>) -> tensor<2x3x6x8xf32>
  return %y : tensor<2x3x6x8xf32>
}
