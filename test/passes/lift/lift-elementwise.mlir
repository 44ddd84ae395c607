// RUN: %octavo-opt --passes lift-elementwise %s | FileCheck %s

// CHECK-LABEL: func.func @two_tensors(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,8],f32>, %[[Y:[a-z0-9]+]]:
// CHECK-DAG:     %[[XB:.+]] = torch_c.to_builtin_tensor %[[X]]
// CHECK-DAG:     %[[YB:.+]] = torch_c.to_builtin_tensor %[[Y]]
// CHECK:         %[[SUM:.+]] = arith.addf %[[XB]], %[[YB]] : tensor<?x8xf32>
// CHECK:         %[[DIFFERENCE:.+]] = arith.subf %[[SUM]], %{{.+}} : tensor<?x8xf32>
// CHECK:         arith.mulf %[[DIFFERENCE]], %{{.+}} : tensor<?x8xf32>
// CHECK-NOT:     torch.aten
// CHECK:         return
func.func @two_tensors(%x: !torch.vtensor<[?,8],f32>, %y: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32> {
  %int1 = torch.constant.int 1
  %sum = torch.aten.add.Tensor %x, %y, %int1 : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.int -> !torch.vtensor<[?,8],f32>
  %difference = torch.aten.sub.Tensor %sum, %y, %int1 : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.int -> !torch.vtensor<[?,8],f32>
  %product = torch.aten.mul.Tensor %difference, %y : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32> -> !torch.vtensor<[?,8],f32>
  return %product : !torch.vtensor<[?,8],f32>
}

// A sum with a factor, a sum with a row that is broadcast, a sum of integers.
// CHECK-LABEL: func.func @sums_of_other_kinds(
// CHECK-NOT:     arith.add
// CHECK:         return
func.func @sums_of_other_kinds(%x: !torch.vtensor<[?,8],f32>, %row: !torch.vtensor<[8],f32>, %ids: !torch.vtensor<[?,8],si32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],si32>) {
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %weighted = torch.aten.add.Tensor %x, %x, %int2 : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.int -> !torch.vtensor<[?,8],f32>
  %broadcast = torch.aten.add.Tensor %x, %row, %int1 : !torch.vtensor<[?,8],f32>, !torch.vtensor<[8],f32>, !torch.int -> !torch.vtensor<[?,8],f32>
  %whole = torch.aten.add.Tensor %ids, %ids, %int1 : !torch.vtensor<[?,8],si32>, !torch.vtensor<[?,8],si32>, !torch.int -> !torch.vtensor<[?,8],si32>
  return %weighted, %broadcast, %whole : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],si32>
}

// The last are Gemma's scale of the embeddings, a tensor of one value in the model's own type.
// CHECK-LABEL: func.func @numbers(
// CHECK:         "llm.scale"(%{{.+}}) {factor = 8.000000e+00 : f64}
// CHECK:         "llm.scale"(%{{.+}}) {factor = 2.500000e-01 : f64}
// CHECK:         "llm.scale"(%{{.+}}) {factor = 3.200000e+01 : f64}
// CHECK:         "llm.scale"(%{{.+}}) {factor = 3.200000e+01 : f64}
// CHECK-NOT:     torch.aten
// CHECK:         return
func.func @numbers(%x: !torch.vtensor<[?,8],bf16>) -> !torch.vtensor<[?,8],bf16> {
  %eight = torch.constant.float 8.000000e+00
  %four = torch.constant.int 4
  %normalizer = torch.vtensor.literal(dense<3.200000e+01> : tensor<bf16>) : !torch.vtensor<[],bf16>
  %0 = torch.aten.mul.Scalar %x, %eight : !torch.vtensor<[?,8],bf16>, !torch.float -> !torch.vtensor<[?,8],bf16>
  %1 = torch.aten.div.Scalar %0, %four : !torch.vtensor<[?,8],bf16>, !torch.int -> !torch.vtensor<[?,8],bf16>
  %2 = torch.aten.mul.Tensor %1, %normalizer : !torch.vtensor<[?,8],bf16>, !torch.vtensor<[],bf16> -> !torch.vtensor<[?,8],bf16>
  %3 = torch.aten.mul.Tensor %normalizer, %2 : !torch.vtensor<[],bf16>, !torch.vtensor<[?,8],bf16> -> !torch.vtensor<[?,8],bf16>
  return %3 : !torch.vtensor<[?,8],bf16>
}

// Division by zero gives infinities, which no factor does; integers become floats here.
// CHECK-LABEL: func.func @numbers_of_other_kinds(
// CHECK-NOT:     llm.scale
// CHECK:         return
func.func @numbers_of_other_kinds(%x: !torch.vtensor<[?,8],f32>, %ids: !torch.vtensor<[?,8],si32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>) {
  %zero = torch.constant.float 0.000000e+00
  %half = torch.constant.float 5.000000e-01
  %infinite = torch.aten.div.Scalar %x, %zero : !torch.vtensor<[?,8],f32>, !torch.float -> !torch.vtensor<[?,8],f32>
  %float = torch.aten.mul.Scalar %ids, %half : !torch.vtensor<[?,8],si32>, !torch.float -> !torch.vtensor<[?,8],f32>
  return %infinite, %float : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>
}

// CHECK-LABEL: func.func @casts(
// CHECK:         arith.extf %{{.+}} : tensor<?x8xbf16> to tensor<?x8xf32>
// CHECK:         arith.truncf %{{.+}} : tensor<?x8xf32> to tensor<?x8xbf16>
// CHECK-NOT:     torch.aten
// CHECK:         return
func.func @casts(%x: !torch.vtensor<[?,8],bf16>) -> !torch.vtensor<[?,8],bf16> {
  %f32 = torch.constant.int 6
  %false = torch.constant.bool false
  %none = torch.constant.none
  %wide = torch.aten.to.dtype %x, %f32, %false, %false, %none : !torch.vtensor<[?,8],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,8],f32>
  %narrow = torch.aten.type_as %wide, %x : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],bf16> -> !torch.vtensor<[?,8],bf16>
  return %narrow : !torch.vtensor<[?,8],bf16>
}

// To integers, and from one float of 16 bits to the other.
// CHECK-LABEL: func.func @casts_of_other_kinds(
// CHECK-NOT:     arith
// CHECK:         return
func.func @casts_of_other_kinds(%x: !torch.vtensor<[?,8],bf16>) -> (!torch.vtensor<[?,8],si32>, !torch.vtensor<[?,8],f16>) {
  %i32 = torch.constant.int 3
  %f16 = torch.constant.int 5
  %false = torch.constant.bool false
  %none = torch.constant.none
  %ids = torch.aten.to.dtype %x, %i32, %false, %false, %none : !torch.vtensor<[?,8],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,8],si32>
  %half = torch.aten.to.dtype %x, %f16, %false, %false, %none : !torch.vtensor<[?,8],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,8],f16>
  return %ids, %half : !torch.vtensor<[?,8],si32>, !torch.vtensor<[?,8],f16>
}
