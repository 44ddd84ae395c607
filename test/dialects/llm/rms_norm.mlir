// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x?x8xbf16>, %[[W:[a-z0-9]+]]: tensor<8xf32>)
// CHECK:         %[[Y:.+]] = "llm.rms_norm"(%[[X]], %[[W]]) {eps = {{.+}} : f64, weight_offset = {{.+}} : f64}
// CHECK-SAME:      : (tensor<2x?x8xbf16>, tensor<8xf32>) -> tensor<2x?x8xbf16>
// CHECK:         return %[[Y]]
func.func @rms_norm(%x: tensor<2x?x8xbf16>, %w: tensor<8xf32>) -> tensor<2x?x8xbf16> {
  %y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 1.0 : f64}
      : (tensor<2x?x8xbf16>, tensor<8xf32>) -> tensor<2x?x8xbf16>
  return %y : tensor<2x?x8xbf16>
}
