// RUN: not %octavo-opt --split-input-file --passes canonicalize %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t.err

// A part that fails leaves its place empty, and the others are processed.
// CHECK:      func.func @first(
// CHECK-NEXT:   return
// CHECK:      // -----
// CHECK-NEXT: // -----
// CHECK:      func.func @third(
// CHECK-NOT:  // -----
func.func @first() {
  %unused = arith.constant 1 : i32
  return
}
// -----
// ERROR: {{.*}}split-input-file.mlir:18:8: error: 'llm.scale' op expected x of a float element type, got i32
func.func @second(%x: tensor<8xi32>) {
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<8xi32>) -> tensor<8xi32>
  return
}
// -----
func.func @third() {
  return
}
