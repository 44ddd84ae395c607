// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @both_forms(
// CHECK-SAME:    %[[GATE:[a-z0-9]+]]: tensor<?x8xf32>, %[[UP:[a-z0-9]+]]: tensor<?x8xf32>)
// CHECK:         %[[Y:.+]] = "llm.geglu"(%[[GATE]], %[[UP]]) {approximate = "tanh"}
// CHECK:         "llm.geglu"(%[[Y]], %[[UP]]) {approximate = "none"}
func.func @both_forms(%gate: tensor<?x8xf32>, %up: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = "llm.geglu"(%gate, %up) {approximate = "tanh"} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = "llm.geglu"(%0, %up) {approximate = "none"} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
