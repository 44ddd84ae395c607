// RUN: %octavo-opt --passes eliminate-dead-code %s | FileCheck %s

// A chain that nobody reads goes with its end; torch's bookkeeping goes though it has no result.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT:    return
func.func @dead(%x: !torch.vtensor<[?,8],f32>, %y: tensor<?x8xf32>) {
  %none = torch.constant.none
  %0 = torch.aten.silu %x : !torch.vtensor<[?,8],f32> -> !torch.vtensor<[?,8],f32>
  %1 = torch.aten.mul.Tensor %0, %0 : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32> -> !torch.vtensor<[?,8],f32>
  torch.aten._assert_tensor_metadata %1, %none, %none, %none, %none, %none : !torch.vtensor<[?,8],f32>, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none
  %2 = torch_c.from_builtin_tensor %y : tensor<?x8xf32> -> !torch.vtensor<[?,8],f32>
  %3 = "llm.scale"(%y) {factor = 2.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = arith.addf %3, %y : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @alive(
// CHECK:         %[[Y:.+]] = "llm.scale"
// CHECK:         return %[[Y]]
func.func @alive(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// One of two results is read; an operation writes to its operand; a call may do anything.
// CHECK-LABEL: func.func @kept(
// CHECK:         "llm.rope_table"
// CHECK:         torch.aten.add_.Tensor
// CHECK:         call @alive
// CHECK:         return
func.func @kept(%p: tensor<1x2xi32>, %f: tensor<4xf32>, %t: !torch.tensor<[8],f32>, %x: tensor<?x8xf32>) -> tensor<1x2x4xf32> {
  %int1 = torch.constant.int 1
  %cos, %sin = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<1x2xi32>, tensor<4xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  %0 = torch.aten.add_.Tensor %t, %t, %int1 : !torch.tensor<[8],f32>, !torch.tensor<[8],f32>, !torch.int -> !torch.tensor<[8],f32>
  %1 = func.call @alive(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %sin : tensor<1x2x4xf32>
}
