// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @last_token(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x?x8xbf16>, %[[LENS:[a-z0-9]+]]: tensor<4xi32>)
// CHECK:         "llm.last_token"(%[[X]], %[[LENS]]) : (tensor<4x?x8xbf16>, tensor<4xi32>) -> tensor<4x8xbf16>
func.func @last_token(%x: tensor<4x?x8xbf16>, %lens: tensor<4xi32>) -> tensor<4x8xbf16> {
  %y = "llm.last_token"(%x, %lens) : (tensor<4x?x8xbf16>, tensor<4xi32>) -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}
