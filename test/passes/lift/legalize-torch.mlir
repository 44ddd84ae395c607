// RUN: %octavo-opt --split-input-file --passes legalize-torch,lift-signature %s | FileCheck %s

// What no lifting knows becomes linalg; what is lifted already stays.
// CHECK-LABEL: func.func @unknown(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK:         linalg.generic {{.+}} ins(%[[X]] : tensor<?x8xf32>)
// CHECK:           math.erf
// CHECK:         "llm.scale"
// CHECK-NOT:     torch
// CHECK:         return
func.func @unknown(%x: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32> {
  %0 = torch.aten.erf %x : !torch.vtensor<[?,8],f32> -> !torch.vtensor<[?,8],f32>
  %1 = torch_c.to_builtin_tensor %0 : !torch.vtensor<[?,8],f32> -> tensor<?x8xf32>
  %2 = "llm.scale"(%1) {factor = 2.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = torch_c.from_builtin_tensor %2 : tensor<?x8xf32> -> !torch.vtensor<[?,8],f32>
  return %3 : !torch.vtensor<[?,8],f32>
}

// -----

// CHECK-LABEL: func.func @lifted(
// CHECK-NOT:     linalg
// CHECK:         "llm.scale"
// CHECK-NOT:     linalg
// CHECK:         return
func.func @lifted(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
