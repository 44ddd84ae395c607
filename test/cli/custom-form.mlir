// RUN: not %octavo-opt %s 2>&1 | FileCheck %s

// CHECK: {{.*}}custom-form.mlir:7:8: error: 'llm.rms_norm' is in custom form, and llm operations have the generic form only, such as
// CHECK-NEXT: %y = "llm.rms_norm"(%x, %w) {
// CHECK-NOT: error
func.func @f(%x: tensor<2x8xf32>, %w: tensor<8xf32>) -> tensor<2x8xf32> {
  %y = llm.rms_norm %x, %w : tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
