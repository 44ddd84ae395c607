// RUN: %octavo-opt --passes lower-norm %s | FileCheck %s

// CHECK-LABEL: func.func @rms(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x?x8xbf16>, %[[W:[a-z0-9]+]]: tensor<8xbf16>)
// CHECK:         %[[SQUARES:.+]] = linalg.generic {{.+}} "reduction"]} ins(%[[X]] : tensor<2x?x8xbf16>) outs(%{{.+}} : tensor<2x?xf32>)
// CHECK:           arith.extf
// CHECK:           arith.mulf %{{.+}} : f32
// CHECK:         linalg.generic {{.+}} ins(%[[X]], %[[SQUARES]], %[[W]] : {{.+}}) outs(%{{.+}} : tensor<2x?x8xbf16>)
// CHECK:           math.rsqrt %{{.+}} : f32
// CHECK:           arith.truncf
func.func @rms(%x: tensor<2x?x8xbf16>, %w: tensor<8xbf16>) -> tensor<2x?x8xbf16> {
  %y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x?x8xbf16>, tensor<8xbf16>) -> tensor<2x?x8xbf16>
  return %y : tensor<2x?x8xbf16>
}

// CHECK-LABEL: func.func @add_rms(
// CHECK:         %[[SUM:.+]] = linalg.generic {{.+}} ins(%{{.+}} : tensor<3x8xf32>, tensor<3x8xf32>)
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.+}} "reduction"]} ins(%[[SUM]]
// CHECK:         %[[Y:.+]] = linalg.generic {{.+}} ins(%[[SUM]], %{{.+}}
// CHECK:         return %[[SUM]], %[[Y]]
func.func @add_rms(%x: tensor<3x8xf32>, %r: tensor<3x8xf32>, %w: tensor<8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
  %s, %y = "llm.add_rms_norm"(%x, %r, %w) {eps = 1.0e-5 : f64, weight_offset = 1.0 : f64}
    : (tensor<3x8xf32>, tensor<3x8xf32>, tensor<8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>)
  return %s, %y : tensor<3x8xf32>, tensor<3x8xf32>
}

// Two reductions: the variance is that of distances from the mean.
// CHECK-LABEL: func.func @layer(
// CHECK:         %[[TOTAL:.+]] = linalg.generic {{.+}} "reduction"]} ins(%[[X:.+]] : tensor<3x8xf32>)
// CHECK:         %[[SQUARES:.+]] = linalg.generic {{.+}} "reduction"]} ins(%[[X]], %[[TOTAL]] :
// CHECK:           arith.subf
// CHECK:         linalg.generic {{.+}} ins(%[[X]], %[[TOTAL]], %[[SQUARES]] : tensor<3x8xf32>, tensor<3xf32>, tensor<3xf32>)
func.func @layer(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = "llm.layer_norm"(%x) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}
