// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @rope_table(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: tensor<2x?xi32>, %[[F:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:         %[[TABLE:.+]]:2 = "llm.rope_table"(%[[P]], %[[F]]) {scaling = {{.+}} : f64}
// CHECK-SAME:      : (tensor<2x?xi32>, tensor<4xf32>) -> (tensor<2x?x4xf32>, tensor<2x?x4xf32>)
// CHECK:         return %[[TABLE]]#0, %[[TABLE]]#1
func.func @rope_table(%positions: tensor<2x?xi32>, %inv_freq: tensor<4xf32>)
    -> (tensor<2x?x4xf32>, tensor<2x?x4xf32>) {
  %cos, %sin = "llm.rope_table"(%positions, %inv_freq) {scaling = 1.0 : f64}
      : (tensor<2x?xi32>, tensor<4xf32>) -> (tensor<2x?x4xf32>, tensor<2x?x4xf32>)
  return %cos, %sin : tensor<2x?x4xf32>, tensor<2x?x4xf32>
}
