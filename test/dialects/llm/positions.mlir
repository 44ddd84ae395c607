// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @positions(
// CHECK-SAME:    %[[TOKENS:[a-z0-9]+]]: tensor<?x16xi32>, %[[START:[a-z0-9]+]]: tensor<?xi32>, %[[LENS:[a-z0-9]+]]: tensor<?xi32>)
// CHECK:         "llm.positions"(%[[TOKENS]], %[[START]], %[[LENS]])
// CHECK-SAME:      : (tensor<?x16xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x16xi32>
func.func @positions(%tokens: tensor<?x16xi32>, %start: tensor<?xi32>, %lens: tensor<?xi32>) -> tensor<?x16xi32> {
  %p = "llm.positions"(%tokens, %start, %lens)
      : (tensor<?x16xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x16xi32>
  return %p : tensor<?x16xi32>
}
