// RUN: %octavo-opt --passes lift-shape %s | FileCheck %s

// Features split into heads, and heads merged back; the second view leaves the number of heads open.
// CHECK-LABEL: func.func @heads(
// CHECK:         %[[SPLIT:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0], [1], [2, 3]] output_shape [%{{.+}}, %{{.+}}, 4, 16] : tensor<?x?x64xf32> into tensor<?x?x4x16xf32>
// CHECK:         tensor.collapse_shape %[[SPLIT]] {{\[\[}}0], [1], [2, 3]] : tensor<?x?x4x16xf32> into tensor<?x?x64xf32>
// CHECK-NOT:     torch.aten.{{view|reshape}}
// CHECK:         return
func.func @heads(%x: !torch.vtensor<[?,?,64],f32>) -> !torch.vtensor<[?,?,64],f32> {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int16 = torch.constant.int 16
  %rest = torch.constant.int -1
  %b = torch.aten.size.int %x, %int0 : !torch.vtensor<[?,?,64],f32>, !torch.int -> !torch.int
  %t = torch.aten.size.int %x, %int1 : !torch.vtensor<[?,?,64],f32>, !torch.int -> !torch.int
  %split_sizes = torch.prim.ListConstruct %b, %t, %rest, %int16 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %split = torch.aten.view %x, %split_sizes : !torch.vtensor<[?,?,64],f32>, !torch.list<int> -> !torch.vtensor<[?,?,4,16],f32>
  %merged_sizes = torch.prim.ListConstruct %b, %t, %rest : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %merged = torch.aten.reshape %split, %merged_sizes : !torch.vtensor<[?,?,4,16],f32>, !torch.list<int> -> !torch.vtensor<[?,?,64],f32>
  return %merged : !torch.vtensor<[?,?,64],f32>
}

// The open size takes what the named one leaves: the last two axes, then the first two.
// CHECK-LABEL: func.func @merged_rows(
// CHECK:         tensor.collapse_shape %{{.+}} {{\[\[}}0], [1, 2], [3]] : tensor<?x?x?x8xf32> into tensor<?x?x8xf32>
// CHECK:         tensor.collapse_shape %{{.+}} {{\[\[}}0, 1], [2], [3]] : tensor<?x?x?x8xf32> into tensor<?x?x8xf32>
func.func @merged_rows(%x: !torch.vtensor<[?,?,?,8],f32>) -> (!torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>) {
  %int0 = torch.constant.int 0
  %int2 = torch.constant.int 2
  %int8 = torch.constant.int 8
  %rest = torch.constant.int -1
  %first = torch.aten.size.int %x, %int0 : !torch.vtensor<[?,?,?,8],f32>, !torch.int -> !torch.int
  %third = torch.aten.size.int %x, %int2 : !torch.vtensor<[?,?,?,8],f32>, !torch.int -> !torch.int
  %last_two = torch.prim.ListConstruct %first, %rest, %int8 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.view %x, %last_two : !torch.vtensor<[?,?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,?,8],f32>
  %first_two = torch.prim.ListConstruct %rest, %third, %int8 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %1 = torch.aten.view %x, %first_two : !torch.vtensor<[?,?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,?,8],f32>
  return %0, %1 : !torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>
}

// A view that exchanges two dynamic sizes while it splits; one that splits a dynamic size; one whose parts
// do not align with the source's axes.
// CHECK-LABEL: func.func @views_of_other_kinds(
// CHECK-NOT:     tensor.{{expand|collapse}}_shape
// CHECK:         return
func.func @views_of_other_kinds(%x: !torch.vtensor<[?,?,8],f32>, %y: !torch.vtensor<[6,4],f32>) -> (!torch.vtensor<[?,?,2,4],f32>, !torch.vtensor<[?,2,?,8],f32>, !torch.vtensor<[2,2,6],f32>) {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int4 = torch.constant.int 4
  %int6 = torch.constant.int 6
  %int8 = torch.constant.int 8
  %rest = torch.constant.int -1
  %b = torch.aten.size.int %x, %int0 : !torch.vtensor<[?,?,8],f32>, !torch.int -> !torch.int
  %t = torch.aten.size.int %x, %int1 : !torch.vtensor<[?,?,8],f32>, !torch.int -> !torch.int
  %exchanged_sizes = torch.prim.ListConstruct %t, %b, %int2, %int4 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %exchanged = torch.aten.view %x, %exchanged_sizes : !torch.vtensor<[?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,?,2,4],f32>
  %split_sizes = torch.prim.ListConstruct %b, %int2, %rest, %int8 : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %split = torch.aten.view %x, %split_sizes : !torch.vtensor<[?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,2,?,8],f32>
  %odd_sizes = torch.prim.ListConstruct %int2, %int2, %int6 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %odd = torch.aten.view %y, %odd_sizes : !torch.vtensor<[6,4],f32>, !torch.list<int> -> !torch.vtensor<[2,2,6],f32>
  return %exchanged, %split, %odd : !torch.vtensor<[?,?,2,4],f32>, !torch.vtensor<[?,2,?,8],f32>, !torch.vtensor<[2,2,6],f32>
}

// CHECK-LABEL: func.func @moved_axes(
// CHECK:         %[[T:.+]] = linalg.transpose {{.+}} permutation = [0, 2, 1, 3]
// CHECK:         %[[P:.+]] = linalg.transpose ins(%[[T]] {{.+}} permutation = [2, 0, 1, 3]
// CHECK:         tensor.expand_shape %[[P]] {{\[\[}}0], [1], [2], [3, 4]] {{.+}} into tensor<?x?x4x16x1xf32>
func.func @moved_axes(%x: !torch.vtensor<[?,?,4,16],f32>) -> !torch.vtensor<[?,?,4,16,1],f32> {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %last = torch.constant.int -1
  %from_end = torch.constant.int -2
  %t = torch.aten.transpose.int %x, %int1, %from_end : !torch.vtensor<[?,?,4,16],f32>, !torch.int, !torch.int -> !torch.vtensor<[?,4,?,16],f32>
  %axes = torch.prim.ListConstruct %int2, %int0, %int1, %last : (!torch.int, !torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %p = torch.aten.permute %t, %axes : !torch.vtensor<[?,4,?,16],f32>, !torch.list<int> -> !torch.vtensor<[?,?,4,16],f32>
  %y = torch.aten.unsqueeze %p, %last : !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16,1],f32>
  return %y : !torch.vtensor<[?,?,4,16,1],f32>
}

// As Phi-3 splits its fused products, and a slice that counts from the end.
// CHECK-LABEL: func.func @parts(
// CHECK-DAG:     tensor.extract_slice %{{.+}}[0, 0] [%{{.+}}, 64] [1, 1] : tensor<?x128xf32> to tensor<?x64xf32>
// CHECK-DAG:     tensor.extract_slice %{{.+}}[0, 64] [%{{.+}}, 64] [1, 1] : tensor<?x128xf32> to tensor<?x64xf32>
// CHECK-DAG:     tensor.extract_slice %{{.+}}[0, 120] [%{{.+}}, 8] [1, 1] : tensor<?x128xf32> to tensor<?x8xf32>
// CHECK-NOT:     torch.aten
// CHECK:         return
func.func @parts(%x: !torch.vtensor<[?,128],f32>) -> (!torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,8],f32>) {
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %last = torch.constant.int -1
  %from_end = torch.constant.int -8
  %none = torch.constant.none
  %chunks = torch.aten.chunk %x, %int2, %last : !torch.vtensor<[?,128],f32>, !torch.int, !torch.int -> !torch.list<vtensor>
  %0:2 = torch.prim.ListUnpack %chunks : !torch.list<vtensor> -> !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>
  %1 = torch.aten.slice.Tensor %x, %int1, %from_end, %none, %int1 : !torch.vtensor<[?,128],f32>, !torch.int, !torch.int, !torch.none, !torch.int -> !torch.vtensor<[?,8],f32>
  return %0#0, %0#1, %1 : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,8],f32>
}

// A slice with a step, a slice of a dynamic axis, a split of a dynamic axis.
// CHECK-LABEL: func.func @parts_of_other_kinds(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
func.func @parts_of_other_kinds(%x: !torch.vtensor<[?,128],f32>) -> (!torch.vtensor<[?,64],f32>, !torch.vtensor<[?,128],f32>, !torch.vtensor<[?,128],f32>) {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int128 = torch.constant.int 128
  %open = torch.constant.int 9223372036854775807
  %stepped = torch.aten.slice.Tensor %x, %int1, %int0, %int128, %int2 : !torch.vtensor<[?,128],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,64],f32>
  %rows = torch.aten.slice.Tensor %x, %int0, %int1, %open, %int1 : !torch.vtensor<[?,128],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,128],f32>
  %chunks = torch.aten.chunk %x, %int2, %int0 : !torch.vtensor<[?,128],f32>, !torch.int, !torch.int -> !torch.list<vtensor>
  %0:2 = torch.prim.ListUnpack %chunks : !torch.list<vtensor> -> !torch.vtensor<[?,128],f32>, !torch.vtensor<[?,128],f32>
  return %stepped, %rows, %0#0 : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,128],f32>, !torch.vtensor<[?,128],f32>
}
