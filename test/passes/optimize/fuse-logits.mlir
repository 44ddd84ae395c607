// RUN: %octavo-opt --passes fuse-logits %s | FileCheck %s

// Gemma 2 caps its logits; in bf16 they are widened at the end.
// CHECK-LABEL: func.func @capped_head(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?x8xbf16>, %[[W:[a-z0-9]+]]: tensor<97x8xbf16>, %[[B:[a-z0-9]+]]: tensor<97xbf16>, %[[L:[a-z0-9]+]]: tensor<?xi32>)
// CHECK-NEXT:    %[[HEAD:.+]] = "llm.logits"(%[[X]], %[[W]], %[[B]], %[[L]]) {{.*}} -> tensor<?x97xbf16>
// CHECK-NEXT:    %[[CAPPED:.+]] = "llm.softcap"(%[[HEAD]]) {cap = 3.000000e+01 : f64} : (tensor<?x97xbf16>)
// CHECK-NEXT:    %[[WIDE:.+]] = arith.extf %[[CAPPED]] : tensor<?x97xbf16> to tensor<?x97xf32>
// CHECK-NEXT:    return %[[WIDE]]
func.func @capped_head(%x: tensor<?x?x8xbf16>, %head: tensor<97x8xbf16>, %bias: tensor<97xbf16>, %lens: tensor<?xi32>) -> tensor<?x97xf32> {
  %0 = "llm.linear"(%x, %head, %bias) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<?x?x8xbf16>, tensor<97x8xbf16>, tensor<97xbf16>) -> tensor<?x?x97xbf16>
  %1 = "llm.softcap"(%0) {cap = 30.0 : f64} : (tensor<?x?x97xbf16>) -> tensor<?x?x97xbf16>
  %2 = arith.extf %1 : tensor<?x?x97xbf16> to tensor<?x?x97xf32>
  %last = "llm.last_token"(%2, %lens) : (tensor<?x?x97xf32>, tensor<?xi32>) -> tensor<?x97xf32>
  return %last : tensor<?x97xf32>
}

// Every token's logits are read too, so nothing is saved.
// CHECK-LABEL: func.func @all_logits_are_read(
// CHECK:         "llm.linear"
// CHECK:         "llm.last_token"
// CHECK-NOT:     llm.logits
// CHECK:         return
func.func @all_logits_are_read(%x: tensor<?x?x8xf32>, %head: tensor<97x8xf32>, %lens: tensor<?xi32>) -> (tensor<?x?x97xf32>, tensor<?x97xf32>) {
  %0 = "llm.linear"(%x, %head) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x?x8xf32>, tensor<97x8xf32>) -> tensor<?x?x97xf32>
  %last = "llm.last_token"(%0, %lens) : (tensor<?x?x97xf32>, tensor<?xi32>) -> tensor<?x97xf32>
  return %0, %last : tensor<?x?x97xf32>, tensor<?x97xf32>
}

// A residual is added to the product, a norm is over each token, a product has no tokens of its own: no head.
// CHECK-LABEL: func.func @no_heads(
// CHECK-COUNT-3: "llm.last_token"
// CHECK-NOT:     llm.logits
// CHECK:         return
func.func @no_heads(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %n: tensor<8xf32>, %deep: tensor<?x?x2x8xf32>, %lens: tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x2x8xf32>) {
  %0 = "llm.linear"(%x, %w, %x) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<?x?x8xf32>, tensor<8x8xf32>, tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %1 = "llm.last_token"(%0, %lens) : (tensor<?x?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  %2 = "llm.rms_norm"(%x, %n) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<?x?x8xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
  %3 = "llm.last_token"(%2, %lens) : (tensor<?x?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  %4 = "llm.linear"(%deep, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<?x?x2x8xf32>, tensor<8x8xf32>) -> tensor<?x?x2x8xf32>
  %5 = "llm.last_token"(%4, %lens) : (tensor<?x?x2x8xf32>, tensor<?xi32>) -> tensor<?x2x8xf32>
  return %1, %3, %5 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x2x8xf32>
}
