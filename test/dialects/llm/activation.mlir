// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @every_kind(
// CHECK:         "llm.activation"(%{{.+}}) {kind = "silu"} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
// CHECK:         {kind = "gelu"}
// CHECK:         {kind = "gelu_tanh"}
// CHECK:         {kind = "relu"}
// CHECK:         {kind = "sigmoid"}
// CHECK:         {kind = "tanh"}
func.func @every_kind(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %0 = "llm.activation"(%x) {kind = "silu"} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %1 = "llm.activation"(%0) {kind = "gelu"} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %2 = "llm.activation"(%1) {kind = "gelu_tanh"} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %3 = "llm.activation"(%2) {kind = "relu"} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %4 = "llm.activation"(%3) {kind = "sigmoid"} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %5 = "llm.activation"(%4) {kind = "tanh"} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %5 : tensor<?x8xbf16>
}
