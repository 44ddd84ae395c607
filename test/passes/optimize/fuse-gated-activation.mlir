// RUN: %octavo-opt --passes fuse-gated-activation %s | FileCheck %s

// CHECK-LABEL: func.func @swiglu(
// CHECK-SAME:    %[[G:[a-z0-9]+]]: tensor<?x8xf32>, %[[U:[a-z0-9]+]]: tensor<?x8xf32>)
// CHECK-NEXT:    %[[Y:.+]] = "llm.swiglu"(%[[G]], %[[U]])
// CHECK-NEXT:    return %[[Y]]
func.func @swiglu(%gate: tensor<?x8xf32>, %up: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = "llm.activation"(%gate) {kind = "silu"} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = arith.mulf %a, %up : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The product's other order, and both forms of gelu.
// CHECK-LABEL: func.func @geglu(
// CHECK-SAME:    %[[G:[a-z0-9]+]]: tensor<?x8xf32>, %[[U:[a-z0-9]+]]: tensor<?x8xf32>)
// CHECK-NEXT:    "llm.geglu"(%[[G]], %[[U]]) {approximate = "none"}
// CHECK-NEXT:    "llm.geglu"(%[[G]], %[[U]]) {approximate = "tanh"}
// CHECK-NEXT:    return
func.func @geglu(%gate: tensor<?x8xf32>, %up: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = "llm.activation"(%gate) {kind = "gelu"} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = arith.mulf %up, %a : tensor<?x8xf32>
  %b = "llm.activation"(%gate) {kind = "gelu_tanh"} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %z = arith.mulf %b, %up : tensor<?x8xf32>
  return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
}

// An activation that no fused operation has, one that somebody else reads, and a gate that gates itself.
// CHECK-LABEL: func.func @left_alone(
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT:     llm.{{swiglu|geglu}}
// CHECK:         return
func.func @left_alone(%gate: tensor<?x8xf32>, %up: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %relu = "llm.activation"(%gate) {kind = "relu"} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = arith.mulf %relu, %up : tensor<?x8xf32>
  %shared = "llm.activation"(%gate) {kind = "silu"} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = arith.mulf %shared, %up : tensor<?x8xf32>
  %self = "llm.activation"(%up) {kind = "silu"} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = arith.mulf %self, %self : tensor<?x8xf32>
  return %0, %1, %2, %shared : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
