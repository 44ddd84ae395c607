// RUN: %octavo-opt --passes lift-rope,eliminate-dead-code %s | FileCheck %s

// As transformers writes it: heads before tokens, the axis of the heads inserted into the tables.
// CHECK-LABEL: func.func @whole_heads(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,4,?,16],f32>, %[[P:[a-z0-9]+]]: !torch.vtensor<[?,?],si32>, %[[F:[a-z0-9]+]]:
// CHECK-DAG:     %[[PB:.+]] = torch_c.to_builtin_tensor %[[P]]
// CHECK-DAG:     %[[FB:.+]] = torch_c.to_builtin_tensor %[[F]]
// CHECK:         %[[TABLE:.+]]:2 = "llm.rope_table"(%[[PB]], %[[FB]]) {scaling = 5.000000e-01 : f64}
// CHECK:         %[[XT:.+]] = linalg.transpose {{.+}} permutation = [0, 2, 1, 3]
// CHECK:         %[[Y:.+]] = "llm.rope"(%[[XT]], %[[TABLE]]#0, %[[TABLE]]#1) {style = "neox"} : (tensor<?x?x4x16xf32>
// CHECK:         linalg.transpose ins(%[[Y]] : {{.+}} permutation = [0, 2, 1, 3]
// CHECK-NOT:     torch.aten.cat
// CHECK:         return
func.func @whole_heads(%x: !torch.vtensor<[?,4,?,16],f32>, %positions: !torch.vtensor<[?,?],si32>, %inv_freq: !torch.vtensor<[8],f32>) -> !torch.vtensor<[?,4,?,16],f32> {
  %false = torch.constant.bool false
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int3 = torch.constant.int 3
  %int8 = torch.constant.int 8
  %f32 = torch.constant.int 6
  %last = torch.constant.int -1
  %open = torch.constant.int 9223372036854775807
  %scaling = torch.constant.float 5.000000e-01
  %column = torch.aten.unsqueeze %positions, %int2 : !torch.vtensor<[?,?],si32>, !torch.int -> !torch.vtensor<[?,?,1],si32>
  %float = torch.aten.to.dtype %column, %f32, %false, %false, %none : !torch.vtensor<[?,?,1],si32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f32>
  %angles = torch.aten.mul.Tensor %float, %inv_freq : !torch.vtensor<[?,?,1],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[?,?,8],f32>
  %twice = torch.prim.ListConstruct %angles, %angles : (!torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>) -> !torch.list<vtensor>
  %table = torch.aten.cat %twice, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,16],f32>
  %cos = torch.aten.cos %table : !torch.vtensor<[?,?,16],f32> -> !torch.vtensor<[?,?,16],f32>
  %cos_scaled = torch.aten.mul.Scalar %cos, %scaling : !torch.vtensor<[?,?,16],f32>, !torch.float -> !torch.vtensor<[?,?,16],f32>
  %cos_heads = torch.aten.unsqueeze %cos_scaled, %int1 : !torch.vtensor<[?,?,16],f32>, !torch.int -> !torch.vtensor<[?,1,?,16],f32>
  %sin = torch.aten.sin %table : !torch.vtensor<[?,?,16],f32> -> !torch.vtensor<[?,?,16],f32>
  %sin_scaled = torch.aten.mul.Scalar %sin, %scaling : !torch.vtensor<[?,?,16],f32>, !torch.float -> !torch.vtensor<[?,?,16],f32>
  %sin_heads = torch.aten.unsqueeze %sin_scaled, %int1 : !torch.vtensor<[?,?,16],f32>, !torch.int -> !torch.vtensor<[?,1,?,16],f32>
  %straight = torch.aten.mul.Tensor %x, %cos_heads : !torch.vtensor<[?,4,?,16],f32>, !torch.vtensor<[?,1,?,16],f32> -> !torch.vtensor<[?,4,?,16],f32>
  %lower = torch.aten.slice.Tensor %x, %int3, %int0, %int8, %int1 : !torch.vtensor<[?,4,?,16],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,4,?,8],f32>
  %upper = torch.aten.slice.Tensor %x, %int3, %int8, %open, %int1 : !torch.vtensor<[?,4,?,16],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,4,?,8],f32>
  %minus = torch.aten.neg %upper : !torch.vtensor<[?,4,?,8],f32> -> !torch.vtensor<[?,4,?,8],f32>
  %halves = torch.prim.ListConstruct %minus, %lower : (!torch.vtensor<[?,4,?,8],f32>, !torch.vtensor<[?,4,?,8],f32>) -> !torch.list<vtensor>
  %turned = torch.aten.cat %halves, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,4,?,16],f32>
  %crossed = torch.aten.mul.Tensor %turned, %sin_heads : !torch.vtensor<[?,4,?,16],f32>, !torch.vtensor<[?,1,?,16],f32> -> !torch.vtensor<[?,4,?,16],f32>
  %y = torch.aten.add.Tensor %straight, %crossed, %int1 : !torch.vtensor<[?,4,?,16],f32>, !torch.vtensor<[?,4,?,16],f32>, !torch.int -> !torch.vtensor<[?,4,?,16],f32>
  return %y : !torch.vtensor<[?,4,?,16],f32>
}

// A part of each head, tokens before heads, int64 positions, a narrow x and a wide table.
// CHECK-LABEL: func.func @part_of_heads(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,?,4,16],bf16>
// CHECK:         %[[P:.+]] = arith.trunci %{{.+}} : tensor<?x?xi64> to tensor<?x?xi32>
// CHECK:         %[[TABLE:.+]]:2 = "llm.rope_table"(%[[P]], %{{.+}}) {scaling = 1.000000e+00 : f64}
// CHECK:         %[[XB:.+]] = torch_c.to_builtin_tensor %[[X]]
// CHECK:         %[[Y:.+]] = "llm.rope"(%[[XB]], %[[TABLE]]#0, %[[TABLE]]#1) {{.+}} -> tensor<?x?x4x16xbf16>
// CHECK-NEXT:    arith.extf %[[Y]]
// CHECK-NOT:     torch.aten.cat
// CHECK:         return
func.func @part_of_heads(%x: !torch.vtensor<[?,?,4,16],bf16>, %positions: !torch.vtensor<[?,?],si64>, %inv_freq: !torch.vtensor<[4],f32>) -> !torch.vtensor<[?,?,4,16],f32> {
  %false = torch.constant.bool false
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int3 = torch.constant.int 3
  %int4 = torch.constant.int 4
  %int8 = torch.constant.int 8
  %f32 = torch.constant.int 6
  %last = torch.constant.int -1
  %before_last = torch.constant.int -2
  %open = torch.constant.int 9223372036854775807
  %column = torch.aten.unsqueeze %positions, %last : !torch.vtensor<[?,?],si64>, !torch.int -> !torch.vtensor<[?,?,1],si64>
  %float = torch.aten.to.dtype %column, %f32, %false, %false, %none : !torch.vtensor<[?,?,1],si64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f32>
  %angles = torch.aten.mul.Tensor %inv_freq, %float : !torch.vtensor<[4],f32>, !torch.vtensor<[?,?,1],f32> -> !torch.vtensor<[?,?,4],f32>
  %twice = torch.prim.ListConstruct %angles, %angles : (!torch.vtensor<[?,?,4],f32>, !torch.vtensor<[?,?,4],f32>) -> !torch.list<vtensor>
  %table = torch.aten.cat %twice, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,8],f32>
  %heads = torch.aten.unsqueeze %table, %before_last : !torch.vtensor<[?,?,8],f32>, !torch.int -> !torch.vtensor<[?,?,1,8],f32>
  %cos = torch.aten.cos %heads : !torch.vtensor<[?,?,1,8],f32> -> !torch.vtensor<[?,?,1,8],f32>
  %sin = torch.aten.sin %heads : !torch.vtensor<[?,?,1,8],f32> -> !torch.vtensor<[?,?,1,8],f32>
  %part = torch.aten.slice.Tensor %x, %last, %int0, %int8, %int1 : !torch.vtensor<[?,?,4,16],bf16>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,8],bf16>
  %rest = torch.aten.slice.Tensor %x, %last, %int8, %open, %int1 : !torch.vtensor<[?,?,4,16],bf16>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,8],bf16>
  %straight = torch.aten.mul.Tensor %part, %cos : !torch.vtensor<[?,?,4,8],bf16>, !torch.vtensor<[?,?,1,8],f32> -> !torch.vtensor<[?,?,4,8],f32>
  %lower = torch.aten.slice.Tensor %part, %last, %none, %int4, %int1 : !torch.vtensor<[?,?,4,8],bf16>, !torch.int, !torch.none, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,4],bf16>
  %upper = torch.aten.slice.Tensor %part, %int3, %int4, %open, %int1 : !torch.vtensor<[?,?,4,8],bf16>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,4],bf16>
  %minus = torch.aten.neg %upper : !torch.vtensor<[?,?,4,4],bf16> -> !torch.vtensor<[?,?,4,4],bf16>
  %halves = torch.prim.ListConstruct %minus, %lower : (!torch.vtensor<[?,?,4,4],bf16>, !torch.vtensor<[?,?,4,4],bf16>) -> !torch.list<vtensor>
  %turned = torch.aten.cat %halves, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,4,8],bf16>
  %crossed = torch.aten.mul.Tensor %sin, %turned : !torch.vtensor<[?,?,1,8],f32>, !torch.vtensor<[?,?,4,8],bf16> -> !torch.vtensor<[?,?,4,8],f32>
  %rotated = torch.aten.add.Tensor %crossed, %straight, %int1 : !torch.vtensor<[?,?,4,8],f32>, !torch.vtensor<[?,?,4,8],f32>, !torch.int -> !torch.vtensor<[?,?,4,8],f32>
  %both = torch.prim.ListConstruct %rotated, %rest : (!torch.vtensor<[?,?,4,8],f32>, !torch.vtensor<[?,?,4,8],bf16>) -> !torch.list<vtensor>
  %y = torch.aten.cat %both, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  return %y : !torch.vtensor<[?,?,4,16],f32>
}

// Each differs in one thing: the lower half is negated; one half stands twice; the sum counts the second twice;
// the tables are exchanged; x is another than the one that is turned.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT:     llm.rope
// CHECK:         return
func.func @near_misses(%x: !torch.vtensor<[?,?,4,16],f32>, %other: !torch.vtensor<[?,?,4,16],f32>, %positions: !torch.vtensor<[?,?],si32>, %inv_freq: !torch.vtensor<[8],f32>) -> (!torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>) {
  %false = torch.constant.bool false
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int8 = torch.constant.int 8
  %int16 = torch.constant.int 16
  %f32 = torch.constant.int 6
  %last = torch.constant.int -1
  %column = torch.aten.unsqueeze %positions, %int2 : !torch.vtensor<[?,?],si32>, !torch.int -> !torch.vtensor<[?,?,1],si32>
  %float = torch.aten.to.dtype %column, %f32, %false, %false, %none : !torch.vtensor<[?,?,1],si32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f32>
  %angles = torch.aten.mul.Tensor %float, %inv_freq : !torch.vtensor<[?,?,1],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[?,?,8],f32>
  %twice = torch.prim.ListConstruct %angles, %angles : (!torch.vtensor<[?,?,8],f32>, !torch.vtensor<[?,?,8],f32>) -> !torch.list<vtensor>
  %table = torch.aten.cat %twice, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,16],f32>
  %cos = torch.aten.cos %table : !torch.vtensor<[?,?,16],f32> -> !torch.vtensor<[?,?,16],f32>
  %cos_heads = torch.aten.unsqueeze %cos, %int2 : !torch.vtensor<[?,?,16],f32>, !torch.int -> !torch.vtensor<[?,?,1,16],f32>
  %sin = torch.aten.sin %table : !torch.vtensor<[?,?,16],f32> -> !torch.vtensor<[?,?,16],f32>
  %sin_heads = torch.aten.unsqueeze %sin, %int2 : !torch.vtensor<[?,?,16],f32>, !torch.int -> !torch.vtensor<[?,?,1,16],f32>
  %lower = torch.aten.slice.Tensor %x, %last, %int0, %int8, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,8],f32>
  %upper = torch.aten.slice.Tensor %x, %last, %int8, %int16, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,8],f32>
  %minus_upper = torch.aten.neg %upper : !torch.vtensor<[?,?,4,8],f32> -> !torch.vtensor<[?,?,4,8],f32>
  %minus_lower = torch.aten.neg %lower : !torch.vtensor<[?,?,4,8],f32> -> !torch.vtensor<[?,?,4,8],f32>
  %halves = torch.prim.ListConstruct %minus_upper, %lower : (!torch.vtensor<[?,?,4,8],f32>, !torch.vtensor<[?,?,4,8],f32>) -> !torch.list<vtensor>
  %turned = torch.aten.cat %halves, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  %straight = torch.aten.mul.Tensor %x, %cos_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %crossed = torch.aten.mul.Tensor %turned, %sin_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>

  %wrong_halves = torch.prim.ListConstruct %upper, %minus_lower : (!torch.vtensor<[?,?,4,8],f32>, !torch.vtensor<[?,?,4,8],f32>) -> !torch.list<vtensor>
  %wrong_turned = torch.aten.cat %wrong_halves, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  %wrong_crossed = torch.aten.mul.Tensor %wrong_turned, %sin_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %backwards = torch.aten.add.Tensor %straight, %wrong_crossed, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>

  %same_halves = torch.prim.ListConstruct %minus_lower, %lower : (!torch.vtensor<[?,?,4,8],f32>, !torch.vtensor<[?,?,4,8],f32>) -> !torch.list<vtensor>
  %same_turned = torch.aten.cat %same_halves, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  %same_crossed = torch.aten.mul.Tensor %same_turned, %sin_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %lower_twice = torch.aten.add.Tensor %straight, %same_crossed, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>

  %other_halves = torch.prim.ListConstruct %minus_upper, %upper : (!torch.vtensor<[?,?,4,8],f32>, !torch.vtensor<[?,?,4,8],f32>) -> !torch.list<vtensor>
  %other_turned = torch.aten.cat %other_halves, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  %other_crossed = torch.aten.mul.Tensor %other_turned, %sin_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %upper_twice = torch.aten.add.Tensor %straight, %other_crossed, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>

  %doubled = torch.aten.add.Tensor %straight, %crossed, %int2 : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>

  %by_sin = torch.aten.mul.Tensor %x, %sin_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %by_cos = torch.aten.mul.Tensor %turned, %cos_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %exchanged = torch.aten.add.Tensor %by_sin, %by_cos, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>

  %other_straight = torch.aten.mul.Tensor %other, %cos_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %mixed = torch.aten.add.Tensor %other_straight, %crossed, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  return %backwards, %lower_twice, %upper_twice, %doubled, %exchanged, %mixed : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>
}

// One row of positions for every row of the batch is not what llm.rope takes.
// CHECK-LABEL: func.func @positions_of_one_row(
// CHECK-NOT:     llm.rope
// CHECK:         return
func.func @positions_of_one_row(%x: !torch.vtensor<[?,?,4,16],f32>, %positions: !torch.vtensor<[1,?],si32>, %inv_freq: !torch.vtensor<[8],f32>) -> !torch.vtensor<[?,?,4,16],f32> {
  %false = torch.constant.bool false
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int8 = torch.constant.int 8
  %int16 = torch.constant.int 16
  %f32 = torch.constant.int 6
  %last = torch.constant.int -1
  %column = torch.aten.unsqueeze %positions, %int2 : !torch.vtensor<[1,?],si32>, !torch.int -> !torch.vtensor<[1,?,1],si32>
  %float = torch.aten.to.dtype %column, %f32, %false, %false, %none : !torch.vtensor<[1,?,1],si32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1,?,1],f32>
  %angles = torch.aten.mul.Tensor %float, %inv_freq : !torch.vtensor<[1,?,1],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[1,?,8],f32>
  %twice = torch.prim.ListConstruct %angles, %angles : (!torch.vtensor<[1,?,8],f32>, !torch.vtensor<[1,?,8],f32>) -> !torch.list<vtensor>
  %table = torch.aten.cat %twice, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[1,?,16],f32>
  %cos = torch.aten.cos %table : !torch.vtensor<[1,?,16],f32> -> !torch.vtensor<[1,?,16],f32>
  %cos_heads = torch.aten.unsqueeze %cos, %int2 : !torch.vtensor<[1,?,16],f32>, !torch.int -> !torch.vtensor<[1,?,1,16],f32>
  %sin = torch.aten.sin %table : !torch.vtensor<[1,?,16],f32> -> !torch.vtensor<[1,?,16],f32>
  %sin_heads = torch.aten.unsqueeze %sin, %int2 : !torch.vtensor<[1,?,16],f32>, !torch.int -> !torch.vtensor<[1,?,1,16],f32>
  %lower = torch.aten.slice.Tensor %x, %last, %int0, %int8, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,8],f32>
  %upper = torch.aten.slice.Tensor %x, %last, %int8, %int16, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[?,?,4,8],f32>
  %minus = torch.aten.neg %upper : !torch.vtensor<[?,?,4,8],f32> -> !torch.vtensor<[?,?,4,8],f32>
  %halves = torch.prim.ListConstruct %minus, %lower : (!torch.vtensor<[?,?,4,8],f32>, !torch.vtensor<[?,?,4,8],f32>) -> !torch.list<vtensor>
  %turned = torch.aten.cat %halves, %last : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  %straight = torch.aten.mul.Tensor %x, %cos_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[1,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %crossed = torch.aten.mul.Tensor %turned, %sin_heads : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[1,?,1,16],f32> -> !torch.vtensor<[?,?,4,16],f32>
  %y = torch.aten.add.Tensor %straight, %crossed, %int1 : !torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,4,16],f32>, !torch.int -> !torch.vtensor<[?,?,4,16],f32>
  return %y : !torch.vtensor<[?,?,4,16],f32>
}
