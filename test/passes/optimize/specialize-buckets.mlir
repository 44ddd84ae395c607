// RUN: not %octavo-opt --split-input-file --passes specialize-buckets{buckets=3x8+2x1+3x8} %s 2>&1 | FileCheck %s
// RUN: not %octavo-opt --split-input-file --passes specialize-buckets{buckets=2x0} %s 2>&1 | FileCheck %s --check-prefix=BUCKETS

// BUCKETS: option buckets of pass 'specialize-buckets'

// CHECK: no function 'step' to specialize: run paginate-kv first
// CHECK: function 'step' at {{.+}} takes (f32): expected tokens [b, t], start [b], lens [b] and table [b, m]
// CHECK: no shape rule for 'tensor.reshape' at {{.+}}: its result tensor<?xf32> has a dynamic axis

// Each bucket once, the smallest first; the table's width and the number of blocks stay dynamic.
// CHECK-LABEL: func.func @step_b2_t1(
// CHECK-SAME:    %{{.+}}: tensor<2x1xi32>, %{{.+}}: tensor<2xi32>, %{{.+}}: tensor<2xi32>, %{{.+}}: tensor<2x?xi32>, %{{.+}}: tensor<?x2x4x16xf32> {llm.state = "layer0.k"})
// CHECK-SAME:    -> (tensor<2x32xf32>, tensor<?x2x4x16xf32> {llm.state = "layer0.k"})
// CHECK-LABEL: func.func @step_b3_t8(
// CHECK-SAME:    %[[TOKENS:[a-z0-9]+]]: tensor<3x8xi32>, %{{.+}}: tensor<3xi32>, %[[LENS:[a-z0-9]+]]: tensor<3xi32>, %{{.+}}: tensor<3x?xi32>, %[[K:[a-z0-9]+]]: tensor<?x2x4x16xf32>
// CHECK:         "llm.embedding"(%{{.+}}, %[[TOKENS]]) : {{.+}} -> tensor<3x8x64xf32>
// CHECK:         tensor.extract_slice %{{.+}}[0, 0, 32] [3, 8, 32] [1, 1, 1] : tensor<3x8x64xf32> to tensor<3x8x32xf32>
// CHECK:         tensor.expand_shape %{{.+}} output_shape [3, 8, 2, 16] : tensor<3x8x32xf32> into tensor<3x8x2x16xf32>
// CHECK:         linalg.transpose {{.+}} outs(%{{.+}} : tensor<3x2x8x16xf32>)
// CHECK:         "llm.rope_table"{{.+}} -> (tensor<3x8x8xf32>, tensor<3x8x8xf32>)
// CHECK:         "llm.kv_write"(%[[K]], {{.+}} -> tensor<?x2x4x16xf32>
// CHECK:         "llm.paged_attention"{{.+}} -> tensor<3x8x2x16xf32>
// CHECK:         tensor.collapse_shape {{.+}} into tensor<3x8x32xf32>
// CHECK:         "llm.last_token"(%{{.+}}, %[[LENS]]) {{.+}} -> tensor<3x32xf32>
// CHECK-NOT:     func.func @step(
func.func @step(%tokens: tensor<?x?xi32>, %start: tensor<?xi32>, %lens: tensor<?xi32>, %table: tensor<?x?xi32>, %k: tensor<?x2x4x16xf32> {llm.state = "layer0.k"}) -> (tensor<?x32xf32>, tensor<?x2x4x16xf32> {llm.state = "layer0.k"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %tokens, %c0 : tensor<?x?xi32>
  %t = tensor.dim %tokens, %c1 : tensor<?x?xi32>
  %p = "llm.positions"(%tokens, %start, %lens) : (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?xi32>
  %e = "llm.weight"() {key = "e"} : () -> tensor<97x64xf32>
  %f = "llm.weight"() {key = "f"} : () -> tensor<8xf32>
  %x = "llm.embedding"(%e, %tokens) : (tensor<97x64xf32>, tensor<?x?xi32>) -> tensor<?x?x64xf32>
  %part = tensor.extract_slice %x[0, 0, 32] [%b, %t, 32] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x?x32xf32>
  %h = tensor.expand_shape %part [[0], [1], [2, 3]] output_shape [%b, %t, 2, 16] : tensor<?x?x32xf32> into tensor<?x?x2x16xf32>
  %i0 = tensor.empty(%b, %t) : tensor<?x2x?x16xf32>
  %h0 = linalg.transpose ins(%h : tensor<?x?x2x16xf32>) outs(%i0 : tensor<?x2x?x16xf32>) permutation = [0, 2, 1, 3]
  %i1 = tensor.empty(%b, %t) : tensor<?x?x2x16xf32>
  %h1 = linalg.transpose ins(%h0 : tensor<?x2x?x16xf32>) outs(%i1 : tensor<?x?x2x16xf32>) permutation = [0, 2, 1, 3]
  %cos, %sin = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<?x?xi32>, tensor<8xf32>) -> (tensor<?x?x8xf32>, tensor<?x?x8xf32>)
  %q = "llm.rope"(%h1, %cos, %sin) {style = "neox"} : (tensor<?x?x2x16xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x2x16xf32>
  %k1 = "llm.kv_write"(%k, %q, %table, %start, %lens) : (tensor<?x2x4x16xf32>, tensor<?x?x2x16xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x2x4x16xf32>
  %a = "llm.paged_attention"(%q, %k1, %k1, %table, %start, %lens) {scale = 1.0 : f64, softcap = none, window = none} : (tensor<?x?x2x16xf32>, tensor<?x2x4x16xf32>, tensor<?x2x4x16xf32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?x2x16xf32>
  %y = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<?x?x2x16xf32> into tensor<?x?x32xf32>
  %last = "llm.last_token"(%y, %lens) : (tensor<?x?x32xf32>, tensor<?xi32>) -> tensor<?x32xf32>
  return %last, %k1 : tensor<?x32xf32>, tensor<?x2x4x16xf32>
}

// -----

func.func @main(%tokens: tensor<?x?xi32>) -> tensor<?x?xi32> {
  return %tokens : tensor<?x?xi32>
}

// -----

func.func @step(%x: f32) -> f32 {
  return %x : f32
}

// -----

func.func @step(%tokens: tensor<?x?xi32>, %start: tensor<?xi32>, %lens: tensor<?xi32>, %table: tensor<?x?xi32>, %x: tensor<?x4xf32>, %shape: tensor<1xindex>) -> tensor<?xf32> {
  %y = tensor.reshape %x(%shape) : (tensor<?x4xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
