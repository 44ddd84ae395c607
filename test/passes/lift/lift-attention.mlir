// RUN: %octavo-opt --passes lift-attention %s | FileCheck %s

// What capture inserts for a model that asks transformers' interface for its attention.
// CHECK-LABEL: func.func @captured(
// CHECK:         "llm.attention"({{%[^,]+, %[^,]+, %[^,]+}}) {
// CHECK-SAME:      causal = true
// CHECK-SAME:      scale = 2.500000e-01 : f64
// CHECK-SAME:      softcap = 3.000000e+01 : f64
// CHECK-SAME:      window = 8 : i64
// CHECK-SAME:      (tensor<?x?x4x16xf32>, tensor<?x?x2x16xf32>, tensor<?x?x2x16xf32>) -> tensor<?x?x4x16xf32>
// CHECK-NOT:     torch.operator
// CHECK:         return
func.func @captured(%q: !torch.vtensor<[?,?,4,16],f32>, %k: !torch.vtensor<[?,?,2,16],f32>, %v: !torch.vtensor<[?,?,2,16],f32>) -> !torch.vtensor<[?,?,4,16],f32> {
  %scale = torch.constant.float 2.500000e-01
  %true = torch.constant.bool true
  %window = torch.constant.int 8
  %softcap = torch.constant.float 3.000000e+01
  %y = torch.operator "torch.octavo.attention"(%q, %k, %v, %scale, %true, %window, %softcap) : (!torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[?,?,2,16],f32>, !torch.vtensor<[?,?,2,16],f32>, !torch.float, !torch.bool, !torch.int, !torch.float) -> !torch.vtensor<[?,?,4,16],f32>
  return %y : !torch.vtensor<[?,?,4,16],f32>
}

// CHECK-LABEL: func.func @another_operator(
// CHECK:         torch.operator "torch.author.attention"
// CHECK-NOT:     llm.attention
// CHECK:         return
func.func @another_operator(%q: !torch.vtensor<[?,?,4,16],f32>) -> !torch.vtensor<[?,?,4,16],f32> {
  %y = torch.operator "torch.author.attention"(%q) : (!torch.vtensor<[?,?,4,16],f32>) -> !torch.vtensor<[?,?,4,16],f32>
  return %y : !torch.vtensor<[?,?,4,16],f32>
}

// Torch puts heads before tokens; its scale is one over the root of the head size unless it is given.
// CHECK-LABEL: func.func @causal(
// CHECK-COUNT-3: linalg.transpose {{.+}} permutation = [0, 2, 1, 3]
// CHECK:         %[[Y:.+]] = "llm.attention"
// CHECK-SAME:      causal = true
// CHECK-SAME:      scale = 2.500000e-01 : f64
// CHECK-SAME:      softcap = none
// CHECK-SAME:      window = none
// CHECK:         linalg.transpose ins(%[[Y]] : {{.+}} permutation = [0, 2, 1, 3]
func.func @causal(%q: !torch.vtensor<[?,4,?,16],f32>, %k: !torch.vtensor<[?,2,?,16],f32>, %v: !torch.vtensor<[?,2,?,16],f32>) -> !torch.vtensor<[?,4,?,16],f32> {
  %none = torch.constant.none
  %true = torch.constant.bool true
  %zero = torch.constant.float 0.000000e+00
  %y = torch.aten.scaled_dot_product_attention %q, %k, %v, %none, %zero, %true, %none, %true : !torch.vtensor<[?,4,?,16],f32>, !torch.vtensor<[?,2,?,16],f32>, !torch.vtensor<[?,2,?,16],f32>, !torch.none, !torch.float, !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[?,4,?,16],f32>
  return %y : !torch.vtensor<[?,4,?,16],f32>
}

// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %[[MASK:[a-z0-9]+]]: !torch.vtensor<[1,1,3,5],i1>
// CHECK:         %[[M:.+]] = torch_c.to_builtin_tensor %[[MASK]]
// CHECK:         "llm.attention"({{%[^,]+, %[^,]+, %[^,]+}}, %[[M]])
// CHECK-SAME:      causal = false
// CHECK-SAME:      scale = 5.000000e-01 : f64
func.func @masked(%q: !torch.vtensor<[2,4,3,16],f32>, %k: !torch.vtensor<[2,4,5,16],f32>, %mask: !torch.vtensor<[1,1,3,5],i1>) -> !torch.vtensor<[2,4,3,16],f32> {
  %false = torch.constant.bool false
  %zero = torch.constant.float 0.000000e+00
  %scale = torch.constant.float 5.000000e-01
  %y = torch.aten.scaled_dot_product_attention %q, %k, %k, %mask, %zero, %false, %scale, %false : !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.vtensor<[1,1,3,5],i1>, !torch.float, !torch.bool, !torch.float, !torch.bool -> !torch.vtensor<[2,4,3,16],f32>
  return %y : !torch.vtensor<[2,4,3,16],f32>
}

// Dropout is on; the mask is one row for every query; torch aligns the first query with the first key of
// five; two key heads are broadcast to four query heads without saying so.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT:     llm.attention
// CHECK:         return
func.func @left_alone(%q: !torch.vtensor<[2,4,3,16],f32>, %k: !torch.vtensor<[2,4,5,16],f32>, %one: !torch.vtensor<[2,1,5,16],f32>, %mask: !torch.vtensor<[1,1,1,5],i1>) -> (!torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,3,16],f32>) {
  %none = torch.constant.none
  %false = torch.constant.bool false
  %true = torch.constant.bool true
  %zero = torch.constant.float 0.000000e+00
  %tenth = torch.constant.float 1.000000e-01
  %dropped = torch.aten.scaled_dot_product_attention %q, %k, %k, %none, %tenth, %false, %none, %false : !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.none, !torch.float, !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,4,3,16],f32>
  %row = torch.aten.scaled_dot_product_attention %q, %k, %k, %mask, %zero, %false, %none, %false : !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.vtensor<[1,1,1,5],i1>, !torch.float, !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,4,3,16],f32>
  %first = torch.aten.scaled_dot_product_attention %q, %k, %k, %none, %zero, %true, %none, %false : !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.vtensor<[2,4,5,16],f32>, !torch.none, !torch.float, !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,4,3,16],f32>
  %broadcast = torch.aten.scaled_dot_product_attention %q, %one, %one, %none, %zero, %false, %none, %false : !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,1,5,16],f32>, !torch.vtensor<[2,1,5,16],f32>, !torch.none, !torch.float, !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,4,3,16],f32>
  return %dropped, %row, %first, %broadcast : !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,3,16],f32>, !torch.vtensor<[2,4,3,16],f32>
}
