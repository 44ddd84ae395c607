// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @weight(
// CHECK:         %[[W:.+]] = "llm.weight"() {key = "model.norm.weight"} : () -> tensor<8xbf16>
// CHECK:         return %[[W]]
func.func @weight() -> tensor<8xbf16> {
  %w = "llm.weight"() {key = "model.norm.weight"} : () -> tensor<8xbf16>
  return %w : tensor<8xbf16>
}
