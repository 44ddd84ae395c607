// RUN: %octavo-opt --passes fold-identities %s | FileCheck %s

// CHECK-LABEL: func.func @casts(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,8],f32>)
// CHECK-NOT:     _assert_tensor_metadata
// CHECK:         %[[Y:.+]] = torch.aten.to.dtype %[[X]], {{.+}} -> !torch.vtensor<[?,8],bf16>
// CHECK:         return %[[X]], %[[Y]]
func.func @casts(%x: !torch.vtensor<[?,8],f32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],bf16>) {
  %f32 = torch.constant.int 6
  %bf16 = torch.constant.int 15
  %false = torch.constant.bool false
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  torch.aten._assert_tensor_metadata %x, %none, %none, %f32, %none, %none : !torch.vtensor<[?,8],f32>, !torch.none, !torch.none, !torch.int, !torch.none, !torch.none
  %same = torch.aten.to.dtype %x, %f32, %false, %false, %none : !torch.vtensor<[?,8],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,8],f32>
  %whole = torch.aten.contiguous %same, %int1 : !torch.vtensor<[?,8],f32>, !torch.int -> !torch.vtensor<[?,8],f32>
  %other = torch.aten.to.dtype %x, %bf16, %false, %false, %none : !torch.vtensor<[?,8],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,8],bf16>
  return %whole, %other : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],bf16>
}

// Dropout of a model in training is not an identity.
// CHECK-LABEL: func.func @dropout(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,8],f32>)
// CHECK:         %[[Y:.+]] = torch.aten.dropout %[[X]], %{{.+}}, %true
// CHECK:         return %[[X]], %[[Y]]
func.func @dropout(%x: !torch.vtensor<[?,8],f32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>) {
  %p = torch.constant.float 1.000000e-01
  %false = torch.constant.bool false
  %true = torch.constant.bool true
  %off = torch.aten.dropout %x, %p, %false : !torch.vtensor<[?,8],f32>, !torch.float, !torch.bool -> !torch.vtensor<[?,8],f32>
  %on = torch.aten.dropout %x, %p, %true : !torch.vtensor<[?,8],f32>, !torch.float, !torch.bool -> !torch.vtensor<[?,8],f32>
  return %off, %on : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>
}

// CHECK-LABEL: func.func @factors(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,8],f32>)
// CHECK:         %[[Y:.+]] = torch.aten.mul.Scalar %[[X]], %float2
// CHECK:         return %[[X]], %[[Y]]
func.func @factors(%x: !torch.vtensor<[?,8],f32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>) {
  %one = torch.constant.float 1.000000e+00
  %two = torch.constant.float 2.000000e+00
  %same = torch.aten.mul.Scalar %x, %one : !torch.vtensor<[?,8],f32>, !torch.float -> !torch.vtensor<[?,8],f32>
  %twice = torch.aten.mul.Scalar %x, %two : !torch.vtensor<[?,8],f32>, !torch.float -> !torch.vtensor<[?,8],f32>
  return %same, %twice : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>
}

// CHECK-LABEL: func.func @whole_slices(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,8],f32>)
// CHECK:         return %[[X]], %[[X]], %[[X]]
func.func @whole_slices(%x: !torch.vtensor<[?,8],f32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>) {
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int8 = torch.constant.int 8
  %open = torch.constant.int 9223372036854775807
  %features = torch.aten.slice.Tensor %x, %int1, %int0, %int8, %int1 : !torch.vtensor<[?,8],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,8],f32>
  %rows = torch.aten.slice.Tensor %x, %int0, %int0, %open, %int1 : !torch.vtensor<[?,8],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,8],f32>
  %default = torch.aten.slice.Tensor %x, %int0, %none, %none, %int1 : !torch.vtensor<[?,8],f32>, !torch.int, !torch.none, !torch.none, !torch.int -> !torch.vtensor<[?,8],f32>
  return %features, %rows, %default : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>
}

// The types of parts of a dynamic axis are the whole's: the first rows, all but the first, every other.
// CHECK-LABEL: func.func @parts_of_a_dynamic_axis(
// CHECK-COUNT-3: torch.aten.slice.Tensor
// CHECK:         return
func.func @parts_of_a_dynamic_axis(%x: !torch.vtensor<[?,8],f32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>) {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int8 = torch.constant.int 8
  %open = torch.constant.int 9223372036854775807
  %first = torch.aten.slice.Tensor %x, %int0, %int0, %int8, %int1 : !torch.vtensor<[?,8],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,8],f32>
  %rest = torch.aten.slice.Tensor %x, %int0, %int1, %open, %int1 : !torch.vtensor<[?,8],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,8],f32>
  %stepped = torch.aten.slice.Tensor %x, %int0, %int0, %open, %int2 : !torch.vtensor<[?,8],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,8],f32>
  return %first, %rest, %stepped : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>
}

// What a model with a rotation of whole heads appends: nothing.
// CHECK-LABEL: func.func @empty_part(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,8],f32>, %[[NOTHING:[a-z0-9]+]]
// CHECK:         %[[Y:.+]] = torch.aten.cat
// CHECK:         return %[[X]], %[[Y]]
func.func @empty_part(%x: !torch.vtensor<[?,8],f32>, %nothing: !torch.vtensor<[?,0],f32>) -> (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,16],f32>) {
  %int1 = torch.constant.int 1
  %one = torch.prim.ListConstruct %x, %nothing : (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,0],f32>) -> !torch.list<vtensor>
  %same = torch.aten.cat %one, %int1 : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,8],f32>
  %two = torch.prim.ListConstruct %x, %x : (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>) -> !torch.list<vtensor>
  %twice = torch.aten.cat %two, %int1 : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,16],f32>
  return %same, %twice : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,16],f32>
}

// CHECK-LABEL: func.func @view_of_the_same_sizes(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,?,8],f32>)
// CHECK:         return %[[X]], %[[X]]
func.func @view_of_the_same_sizes(%x: !torch.vtensor<[?,?,8],f32>) -> (!torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>) {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int8 = torch.constant.int 8
  %rest = torch.constant.int -1
  %b = torch.aten.size.int %x, %int0 : !torch.vtensor<[?,?,8],f32>, !torch.int -> !torch.int
  %t = torch.aten.size.int %x, %int1 : !torch.vtensor<[?,?,8],f32>, !torch.int -> !torch.int
  %sizes = torch.prim.ListConstruct %b, %t, %int8 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %same = torch.aten.view %x, %sizes : !torch.vtensor<[?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,?,8],f32>
  %open_sizes = torch.prim.ListConstruct %b, %rest, %int8 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %open = torch.aten.reshape %x, %open_sizes : !torch.vtensor<[?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,?,8],f32>
  return %same, %open : !torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>
}

// The types are equal too where a view exchanges two dynamic sizes, and it moves values between rows.
// CHECK-LABEL: func.func @view_that_exchanges(
// CHECK:         %[[T:.+]] = torch.aten.transpose.int
// CHECK:         %[[Y:.+]] = torch.aten.view %[[T]]
// CHECK:         return %[[Y]], %[[T]]
func.func @view_that_exchanges(%x: !torch.vtensor<[?,?,8],f32>) -> (!torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>) {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int8 = torch.constant.int 8
  %b = torch.aten.size.int %x, %int0 : !torch.vtensor<[?,?,8],f32>, !torch.int -> !torch.int
  %t = torch.aten.size.int %x, %int1 : !torch.vtensor<[?,?,8],f32>, !torch.int -> !torch.int
  %turned = torch.aten.transpose.int %x, %int0, %int1 : !torch.vtensor<[?,?,8],f32>, !torch.int, !torch.int -> !torch.vtensor<[?,?,8],f32>
  %as_x = torch.prim.ListConstruct %b, %t, %int8 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %exchanged = torch.aten.view %turned, %as_x : !torch.vtensor<[?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,?,8],f32>
  %as_turned = torch.prim.ListConstruct %t, %b, %int8 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %same = torch.aten.view %turned, %as_turned : !torch.vtensor<[?,?,8],f32>, !torch.list<int> -> !torch.vtensor<[?,?,8],f32>
  return %exchanged, %same : !torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>
}
