"""A model of one layer in the `llm` dialect, as `paginate-kv` gets it."""

# Two heads that share one of keys and values; keys of 4 and values of 4, softcap, and a WINDOW to fill in.
ATTENTION_MODEL = """
!ids = tensor<?x?xi32>
!table = tensor<31x8xf32>
!wide = tensor<?x?x8xf32>
!narrow = tensor<?x?x4xf32>
!q = tensor<?x?x2x4xf32>
!kv = tensor<?x?x1x4xf32>
func.func @main(%tokens: !ids, %positions: !ids) -> tensor<?x?x31xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %tokens, %c0 : !ids
  %t = tensor.dim %tokens, %c1 : !ids
  %e = "llm.weight"() {key = "e"} : () -> !table
  %k_weight = "llm.weight"() {key = "k"} : () -> tensor<4x8xf32>
  %v_weight = "llm.weight"() {key = "v"} : () -> tensor<4x8xf32>
  %words = "llm.embedding"(%e, %tokens) : (!table, !ids) -> !wide
  %places = "llm.embedding"(%e, %positions) : (!table, !ids) -> !wide
  %x = arith.addf %words, %places : !wide
  %k = "llm.linear"(%x, %k_weight) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (!wide, tensor<4x8xf32>) -> !narrow
  %v = "llm.linear"(%x, %v_weight) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (!wide, tensor<4x8xf32>) -> !narrow
  %qh = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %t, 2, 4] : !wide into !q
  %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [%b, %t, 1, 4] : !narrow into !kv
  %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [%b, %t, 1, 4] : !narrow into !kv
  %a = "llm.attention"(%qh, %kh, %vh) {
    operandSegmentSizes = array<i32: 1, 1, 1, 0>,
    causal = true, scale = 0.7 : f64, softcap = 2.0 : f64, window = WINDOW
  } : (!q, !kv, !kv) -> !q
  %y = tensor.collapse_shape %a [[0], [1], [2, 3]] : !q into !wide
  %logits = "llm.linear"(%y, %e) {operandSegmentSizes = array<i32: 1, 1, 0, 0>}
    : (!wide, !table) -> tensor<?x?x31xf32>
  return %logits : tensor<?x?x31xf32>
}
"""
