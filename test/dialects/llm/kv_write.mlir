// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @kv_write(
// CHECK-SAME:    %[[POOL:[a-z0-9]+]]: tensor<?x3x16x64xf16>, %[[NEW:[a-z0-9]+]]: tensor<4x?x3x64xf16>,
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<4x?xi32>, %[[START:[a-z0-9]+]]: tensor<4xi32>, %[[LENS:[a-z0-9]+]]: tensor<4xi32>)
// CHECK:         "llm.kv_write"(%[[POOL]], %[[NEW]], %[[TABLE]], %[[START]], %[[LENS]])
// CHECK-SAME:      : (tensor<?x3x16x64xf16>, tensor<4x?x3x64xf16>, tensor<4x?xi32>, tensor<4xi32>, tensor<4xi32>)
// CHECK-SAME:      -> tensor<?x3x16x64xf16>
func.func @kv_write(%pool: tensor<?x3x16x64xf16>, %new: tensor<4x?x3x64xf16>, %table: tensor<4x?xi32>,
                    %start: tensor<4xi32>, %lens: tensor<4xi32>) -> tensor<?x3x16x64xf16> {
  %y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
      : (tensor<?x3x16x64xf16>, tensor<4x?x3x64xf16>, tensor<4x?xi32>, tensor<4xi32>, tensor<4xi32>)
      -> tensor<?x3x16x64xf16>
  return %y : tensor<?x3x16x64xf16>
}
