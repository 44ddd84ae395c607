// RUN: not %octavo-opt --split-input-file --passes check-lowered %s 2>&1 | FileCheck %s

// Messages come before the modules that are printed.
// CHECK:      pass 'check-lowered' failed: the lowered module holds what IREE does not know:
// CHECK-NEXT:   attribute 'llm.block_size' of 'builtin.module' at
// CHECK-NEXT:   attribute 'llm.state' of 'func.func' at
// CHECK-NEXT:   'llm.scale' at
// CHECK-NEXT:   'torch.constant.int' at
// CHECK-NEXT: Expected only the dialects arith, builtin,

// CHECK-LABEL: func.func @lowered(
func.func @lowered(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

module attributes {llm.block_size = 4 : i64} {
func.func @left(%x: tensor<4xf32> {llm.state = "x"}) -> tensor<4xf32> {
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %z = "llm.scale"(%y) {factor = 2.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %int1 = torch.constant.int 1
  return %z : tensor<4xf32>
}
}
