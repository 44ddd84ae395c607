// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @add_rms_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x8xf16>, %[[R:[a-z0-9]+]]: tensor<2x8xf16>, %[[W:[a-z0-9]+]]: tensor<8xf16>)
// CHECK:         %[[Y:.+]]:2 = "llm.add_rms_norm"(%[[X]], %[[R]], %[[W]])
// CHECK-SAME:      {eps = {{.+}} : f64, weight_offset = {{.+}} : f64}
// CHECK-SAME:      : (tensor<2x8xf16>, tensor<2x8xf16>, tensor<8xf16>) -> (tensor<2x8xf16>, tensor<2x8xf16>)
// CHECK:         return %[[Y]]#0, %[[Y]]#1
func.func @add_rms_norm(%x: tensor<2x8xf16>, %r: tensor<2x8xf16>, %w: tensor<8xf16>)
    -> (tensor<2x8xf16>, tensor<2x8xf16>) {
  %sum, %y = "llm.add_rms_norm"(%x, %r, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64}
      : (tensor<2x8xf16>, tensor<2x8xf16>, tensor<8xf16>) -> (tensor<2x8xf16>, tensor<2x8xf16>)
  return %sum, %y : tensor<2x8xf16>, tensor<2x8xf16>
}
