// RUN: %octavo-opt --passes lower-linear %s | FileCheck %s

// The weight is read as it is stored; the sum is kept in f32, and the bias and the residual are added to it.
// CHECK-DAG:   #[[X:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG:   #[[W:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2x?x8xbf16>, %[[B:[a-z0-9]+]]: tensor<6x8xbf16>, %[[BIAS:[a-z0-9]+]]: tensor<6xbf16>
// CHECK:         %[[ROWS:.+]] = tensor.collapse_shape %[[A]] {{\[}}[0, 1], [2]] : tensor<2x?x8xbf16> into tensor<?x8xbf16>
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], {{.+}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[ROWS]], %[[B]] : {{.+}}) outs(%{{.+}} : tensor<?x6xf32>)
// CHECK:           arith.extf
// CHECK:           arith.extf
// CHECK:           arith.mulf %{{.+}} : f32
// CHECK:           arith.addf %{{.+}} : f32
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.+}}, %[[BIAS]], %{{.+}} : tensor<?x6xf32>, tensor<6xbf16>, tensor<?x6xbf16>) outs(%{{.+}} : tensor<?x6xbf16>)
// CHECK:           arith.truncf %{{.+}} : f32 to bf16
// CHECK:         tensor.expand_shape
func.func @linear(%x: tensor<2x?x8xbf16>, %w: tensor<6x8xbf16>, %b: tensor<6xbf16>, %r: tensor<2x?x6xbf16>) -> tensor<2x?x6xbf16> {
  %y = "llm.linear"(%x, %w, %b, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 1>}
    : (tensor<2x?x8xbf16>, tensor<6x8xbf16>, tensor<6xbf16>, tensor<2x?x6xbf16>) -> tensor<2x?x6xbf16>
  return %y : tensor<2x?x6xbf16>
}

// Nothing is added and nothing converted: the contraction alone.
// CHECK-LABEL: func.func @plain(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:         return
func.func @plain(%x: tensor<3x8xf32>, %w: tensor<6x8xf32>) -> tensor<3x6xf32> {
  %y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<3x8xf32>, tensor<6x8xf32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// Only each row's last token is multiplied.
// CHECK-LABEL: func.func @logits(
// CHECK:         tensor.extract
// CHECK:         linalg.generic {{.+}} ins(%{{.+}} : tensor<2x8xf32>, tensor<6x8xf32>)
// CHECK-NOT:     llm.logits
func.func @logits(%x: tensor<2x5x8xf32>, %w: tensor<6x8xf32>, %lens: tensor<2xi32>) -> tensor<2x6xf32> {
  %y = "llm.logits"(%x, %w, %lens) {operandSegmentSizes = array<i32: 1, 1, 0, 1>}
    : (tensor<2x5x8xf32>, tensor<6x8xf32>, tensor<2xi32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @last_token(
// CHECK:         linalg.generic {{.+}} ins(%{{.+}} : tensor<2xi32>) outs(%{{.+}} : tensor<2x8xf32>)
// CHECK:           tensor.extract
// CHECK:           arith.select
func.func @last_token(%x: tensor<2x5x8xf32>, %lens: tensor<2xi32>) -> tensor<2x8xf32> {
  %y = "llm.last_token"(%x, %lens) : (tensor<2x5x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
