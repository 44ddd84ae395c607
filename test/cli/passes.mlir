// RUN: %octavo-opt --passes 'func.func(cse),canonicalize{max-iterations=2},eliminate-dead-code' - < %s | FileCheck %s
// RUN: %octavo-opt %s | FileCheck %s --check-prefix=UNCHANGED

// CHECK-LABEL: func.func @dead(
// CHECK-NEXT:    return
// UNCHANGED-LABEL: func.func @dead(
// UNCHANGED-NEXT:    arith.constant
func.func @dead() {
  %unused = arith.constant 1 : i32
  return
}
