// RUN: %octavo-opt --passes lift-signature,eliminate-dead-code %s | FileCheck %s

// The casts that earlier passes left at the arguments and the result meet casts back, and both go.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>, %[[IDS:[a-z0-9]+]]: tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?xi32>)
// CHECK-NOT:     torch
// CHECK:         %[[Y:.+]] = "llm.scale"(%[[X]])
// CHECK:         return %[[Y]], %[[IDS]] : tensor<?x8xf32>, tensor<?xi32>
func.func @main(%x: !torch.vtensor<[?,8],f32>, %ids: !torch.vtensor<[?],si32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?],si32>) attributes {torch.assume_strict_symbolic_shapes} {
  %0 = torch_c.to_builtin_tensor %x : !torch.vtensor<[?,8],f32> -> tensor<?x8xf32>
  %1 = "llm.scale"(%0) {factor = 2.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = torch_c.from_builtin_tensor %1 : tensor<?x8xf32> -> !torch.vtensor<[?,8],f32>
  return %2, %ids : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?],si32>
}

// What torch still computes keeps torch's types, between casts.
// CHECK-LABEL: func.func @unlifted(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>) -> tensor<8xf32>
// CHECK:         %[[T:.+]] = torch_c.from_builtin_tensor %[[X]]
// CHECK:         %[[Y:.+]] = torch.aten.erf %[[T]]
// CHECK:         %[[R:.+]] = torch_c.to_builtin_tensor %[[Y]]
// CHECK:         return %[[R]] : tensor<8xf32>
func.func @unlifted(%x: !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32> {
  %y = torch.aten.erf %x : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  return %y : !torch.vtensor<[8],f32>
}

// CHECK-LABEL: func.func @builtin_already(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %[[X]]
func.func @builtin_already(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
