// RUN: not %octavo-opt --split-input-file --passes check-lifted %s 2>&1 | FileCheck %s

// What computes is named, an operator by its own name; constants and sizes are not worth a line.
// CHECK:      pass 'check-lifted' failed: no lifting for 2 operations of this model:
// CHECK-NEXT:   'torch.aten.erf' at {{.*}}check-lifted.mlir":{{.+}}
// CHECK-NEXT:   'torch.author.mixer' at {{.*}}check-lifted.mlir":{{.+}}
// CHECK-NEXT: Write it with operations that lift
func.func @unlifted(%x: !torch.vtensor<[?],f32>) -> !torch.vtensor<[?],f32> {
  %int0 = torch.constant.int 0
  %size = torch.aten.size.int %x, %int0 : !torch.vtensor<[?],f32>, !torch.int -> !torch.int
  %y = torch.aten.erf %x : !torch.vtensor<[?],f32> -> !torch.vtensor<[?],f32>
  %z = torch.operator "torch.author.mixer"(%y, %size) : (!torch.vtensor<[?],f32>, !torch.int) -> !torch.vtensor<[?],f32>
  return %z : !torch.vtensor<[?],f32>
}

// -----

// A line for the first five.
// CHECK:      no lifting for 7 operations of this model:
// CHECK-COUNT-5: 'torch.aten.erf'
// CHECK-NEXT:   and 2 more
func.func @many(%x: !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32> {
  %0 = torch.aten.erf %x : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %1 = torch.aten.erf %0 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %2 = torch.aten.erf %1 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %3 = torch.aten.erf %2 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %4 = torch.aten.erf %3 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %5 = torch.aten.erf %4 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %6 = torch.aten.erf %5 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  return %6 : !torch.vtensor<[8],f32>
}

// -----

// Where nothing computes, what is left is named all the same.
// CHECK:      no lifting for 1 operations of this model:
// CHECK-NEXT:   'torch.constant.int' at
func.func @constant() {
  %int0 = torch.constant.int 0
  return
}

// -----

// CHECK-LABEL: func.func @lifted(
// CHECK:         "llm.scale"
func.func @lifted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
