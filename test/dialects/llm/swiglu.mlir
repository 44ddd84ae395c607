// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @swiglu(
// CHECK-SAME:    %[[GATE:[a-z0-9]+]]: tensor<?x8xf16>, %[[UP:[a-z0-9]+]]: tensor<?x8xf16>)
// CHECK:         "llm.swiglu"(%[[GATE]], %[[UP]]) : (tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x8xf16>
func.func @swiglu(%gate: tensor<?x8xf16>, %up: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %y = "llm.swiglu"(%gate, %up) : (tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}
