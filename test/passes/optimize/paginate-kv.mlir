// RUN: not %octavo-opt --split-input-file --passes paginate-kv{block-size=4} %s 2>&1 | FileCheck %s
// RUN: not %octavo-opt --split-input-file --passes paginate-kv{block-size=0} %s 2>&1 | FileCheck %s --check-prefix=SIZE

// SIZE: pass 'paginate-kv' failed: expected a positive block-size, got 0

// Messages come before the modules that are printed.
// CHECK: cannot be paged: expected causal self-attention without an explicit mask, got causal = false
// CHECK: cannot be paged: expected causal self-attention without an explicit mask, got a mask
// CHECK: function 'main' takes (tensor<?x?xi32>): expected tokens and positions, both [b, t] i32
// CHECK: function 'main' returns (tensor<?x?xi32>, tensor<?x?xi32>): expected the logits alone, [b, t, vocab]
// CHECK: function 'main' takes (!torch.vtensor<[?,?],si64>, i32): expected tokens and positions
// CHECK: function 'main' returns (i32): expected the logits alone, [b, t, vocab]
// CHECK: no function 'main' with a body to paginate
// CHECK: no function 'main' with a body to paginate

// Tokens that are padding have logits too; only each row's last ones leave the step, in f32.
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[TOKENS:[a-z0-9]+]]: tensor<?x?xi32>, %[[START:[a-z0-9]+]]: tensor<?xi32>, %[[LENS:[a-z0-9]+]]: tensor<?xi32>, %[[TABLE:[a-z0-9]+]]: tensor<?x?xi32>,
// CHECK-SAME:    %[[K0:[a-z0-9]+]]: tensor<?x2x4x16xbf16> {llm.state = "layer0.k"}, %[[V0:[a-z0-9]+]]: tensor<?x2x4x16xbf16> {llm.state = "layer0.v"},
// CHECK-SAME:    %[[K1:[a-z0-9]+]]: tensor<?x2x4x16xbf16> {llm.state = "layer1.k"}, %[[V1:[a-z0-9]+]]: tensor<?x2x4x16xbf16> {llm.state = "layer1.v"})
// CHECK-SAME:    -> (tensor<?x97xf32>, tensor<?x2x4x16xbf16> {llm.state = "layer0.k"}, {{.+}} {llm.state = "layer1.v"})
// CHECK:         %[[P:.+]] = "llm.positions"(%[[TOKENS]], %[[START]], %[[LENS]])
// CHECK:         "llm.embedding"(%{{.+}}, %[[P]])
// CHECK:         %[[H:.+]] = tensor.expand_shape
// CHECK:         %[[K0N:.+]] = "llm.kv_write"(%[[K0]], %[[H]], %[[TABLE]], %[[START]], %[[LENS]])
// CHECK:         %[[V0N:.+]] = "llm.kv_write"(%[[V0]], %[[H]], %[[TABLE]], %[[START]], %[[LENS]])
// CHECK:         %[[A0:.+]] = "llm.paged_attention"(%[[H]], %[[K0N]], %[[V0N]], %[[TABLE]], %[[START]], %[[LENS]]) {scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64, window = 8 : i64}
// CHECK:         %[[K1N:.+]] = "llm.kv_write"(%[[K1]], %[[A0]]
// CHECK:         %[[V1N:.+]] = "llm.kv_write"(%[[V1]], %[[H]]
// CHECK:         "llm.paged_attention"(%[[A0]], %[[K1N]], %[[V1N]], {{.+}} {scale = 5.000000e-01 : f64, softcap = none, window = none}
// CHECK-NOT:     llm.attention
// CHECK:         %[[LAST:.+]] = "llm.last_token"(%{{.+}}, %[[LENS]])
// CHECK:         %[[LOGITS:.+]] = arith.extf %[[LAST]] : tensor<?x97xbf16> to tensor<?x97xf32>
// CHECK:         return %[[LOGITS]], %[[K0N]], %[[V0N]], %[[K1N]], %[[V1N]]
func.func @main(%tokens: tensor<?x?xi32>, %positions: tensor<?x?xi32>) -> tensor<?x?x97xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %tokens, %c0 : tensor<?x?xi32>
  %t = tensor.dim %tokens, %c1 : tensor<?x?xi32>
  %e = "llm.weight"() {key = "e"} : () -> tensor<97x32xbf16>
  %words = "llm.embedding"(%e, %tokens) : (tensor<97x32xbf16>, tensor<?x?xi32>) -> tensor<?x?x32xbf16>
  %places = "llm.embedding"(%e, %positions) : (tensor<97x32xbf16>, tensor<?x?xi32>) -> tensor<?x?x32xbf16>
  %x = arith.addf %words, %places : tensor<?x?x32xbf16>
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %t, 2, 16] : tensor<?x?x32xbf16> into tensor<?x?x2x16xbf16>
  %0 = "llm.attention"(%h, %h, %h) {operandSegmentSizes = array<i32: 1, 1, 1, 0>, causal = true, scale = 0.25 : f64, softcap = 30.0 : f64, window = 8 : i64} : (tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>) -> tensor<?x?x2x16xbf16>
  %1 = "llm.attention"(%0, %0, %h) {operandSegmentSizes = array<i32: 1, 1, 1, 0>, causal = true, scale = 0.5 : f64, softcap = none, window = none} : (tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>) -> tensor<?x?x2x16xbf16>
  %y = tensor.collapse_shape %1 [[0], [1], [2, 3]] : tensor<?x?x2x16xbf16> into tensor<?x?x32xbf16>
  %logits = "llm.linear"(%y, %e) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x?x32xbf16>, tensor<97x32xbf16>) -> tensor<?x?x97xbf16>
  return %logits : tensor<?x?x97xbf16>
}

// -----

func.func @main(%tokens: tensor<?x?xi32>, %positions: tensor<?x?xi32>) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %tokens, %c0 : tensor<?x?xi32>
  %t = tensor.dim %tokens, %c1 : tensor<?x?xi32>
  %e = "llm.weight"() {key = "e"} : () -> tensor<97x8xf32>
  %x = "llm.embedding"(%e, %tokens) : (tensor<97x8xf32>, tensor<?x?xi32>) -> tensor<?x?x8xf32>
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %t, 1, 8] : tensor<?x?x8xf32> into tensor<?x?x1x8xf32>
  %a = "llm.attention"(%h, %h, %h) {operandSegmentSizes = array<i32: 1, 1, 1, 0>, causal = false, scale = 1.0 : f64, softcap = none, window = none} : (tensor<?x?x1x8xf32>, tensor<?x?x1x8xf32>, tensor<?x?x1x8xf32>) -> tensor<?x?x1x8xf32>
  %y = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<?x?x1x8xf32> into tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// -----

func.func @main(%tokens: tensor<?x4xi32>, %positions: tensor<?x4xi32>) -> tensor<?x4x8xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %tokens, %c0 : tensor<?x4xi32>
  %e = "llm.weight"() {key = "e"} : () -> tensor<97x8xf32>
  %m = "llm.weight"() {key = "m"} : () -> tensor<1x1x4x4xi1>
  %x = "llm.embedding"(%e, %tokens) : (tensor<97x8xf32>, tensor<?x4xi32>) -> tensor<?x4x8xf32>
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, 4, 1, 8] : tensor<?x4x8xf32> into tensor<?x4x1x8xf32>
  %a = "llm.attention"(%h, %h, %h, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 1>, causal = true, scale = 1.0 : f64, softcap = none, window = none} : (tensor<?x4x1x8xf32>, tensor<?x4x1x8xf32>, tensor<?x4x1x8xf32>, tensor<1x1x4x4xi1>) -> tensor<?x4x1x8xf32>
  %y = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<?x4x1x8xf32> into tensor<?x4x8xf32>
  return %y : tensor<?x4x8xf32>
}

// -----

func.func @main(%tokens: tensor<?x?xi32>) -> tensor<?x?x8xf32> {
  %e = "llm.weight"() {key = "e"} : () -> tensor<97x8xf32>
  %x = "llm.embedding"(%e, %tokens) : (tensor<97x8xf32>, tensor<?x?xi32>) -> tensor<?x?x8xf32>
  return %x : tensor<?x?x8xf32>
}

// -----

func.func @main(%tokens: tensor<?x?xi32>, %positions: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>) {
  return %tokens, %positions : tensor<?x?xi32>, tensor<?x?xi32>
}

// -----

func.func @main(%tokens: !torch.vtensor<[?,?],si64>, %positions: i32) {
  return
}

// -----

func.func @main(%tokens: tensor<?x?xi32>, %positions: tensor<?x?xi32>) -> i32 {
  %x = arith.constant 0 : i32
  return %x : i32
}

// -----

func.func private @main(tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?x8xf32>

// -----

func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
