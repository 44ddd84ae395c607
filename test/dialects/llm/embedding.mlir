// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @embedding(
// CHECK-SAME:    %[[E:[a-z0-9]+]]: tensor<100x8xf16>, %[[IDS:[a-z0-9]+]]: tensor<?x4xi32>)
// CHECK:         "llm.embedding"(%[[E]], %[[IDS]]) : (tensor<100x8xf16>, tensor<?x4xi32>) -> tensor<?x4x8xf16>
func.func @embedding(%e: tensor<100x8xf16>, %ids: tensor<?x4xi32>) -> tensor<?x4x8xf16> {
  %x = "llm.embedding"(%e, %ids) : (tensor<100x8xf16>, tensor<?x4xi32>) -> tensor<?x4x8xf16>
  return %x : tensor<?x4x8xf16>
}
