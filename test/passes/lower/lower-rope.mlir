// RUN: %octavo-opt --passes lower-rope %s | FileCheck %s

// CHECK-LABEL: func.func @positions(
// CHECK:         linalg.generic {{.+}} ins(%{{.+}} : tensor<?xi32>, tensor<?xi32>) outs(%{{.+}} : tensor<?x?xi32>)
// CHECK:           arith.select
func.func @positions(%t: tensor<?x?xi32>, %s: tensor<?xi32>, %l: tensor<?xi32>) -> tensor<?x?xi32> {
  %p = "llm.positions"(%t, %s, %l) : (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}

// Whole turns are taken off an angle before its cosine.
// CHECK-LABEL: func.func @table(
// CHECK:           math.floor
// CHECK-COUNT-8:   arith.subf
// CHECK:           math.cos
// CHECK:           math.floor
// CHECK-COUNT-8:   arith.subf
// CHECK:           math.sin
func.func @table(%p: tensor<2x3xi32>, %f: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %c, %s = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x3xi32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>)
  return %c, %s : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// The halves of a head are pairs.
// CHECK-LABEL: func.func @neox(
// CHECK:         %[[PAIRS:.+]] = tensor.expand_shape %{{.+}} : tensor<2x3x5x8xf32> into tensor<2x3x5x2x4xf32>
// CHECK:         linalg.generic {{.+}} ins(%[[PAIRS]], %{{.+}} : tensor<2x3x5x2x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>)
// CHECK:           tensor.extract %[[PAIRS]]
// CHECK:         tensor.collapse_shape
func.func @neox(%x: tensor<2x3x5x8xf32>, %c: tensor<2x3x4xf32>, %s: tensor<2x3x4xf32>) -> tensor<2x3x5x8xf32> {
  %y = "llm.rope"(%x, %c, %s) {style = "neox"} : (tensor<2x3x5x8xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x5x8xf32>
  return %y : tensor<2x3x5x8xf32>
}

// Neighbours are pairs; the rest of a head goes around the rotation.
// CHECK-LABEL: func.func @interleaved_front(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x?x5x11xbf16>
// CHECK:         %[[FRONT:.+]] = tensor.extract_slice %[[X]]
// CHECK:         tensor.expand_shape %[[FRONT]] {{.+}} : tensor<2x?x5x8xbf16> into tensor<2x?x5x4x2xbf16>
// CHECK:         tensor.insert_slice %{{.+}} into %[[X]]
func.func @interleaved_front(%x: tensor<2x?x5x11xbf16>, %c: tensor<2x?x4xf32>, %s: tensor<2x?x4xf32>) -> tensor<2x?x5x11xbf16> {
  %y = "llm.rope"(%x, %c, %s) {style = "interleaved"} : (tensor<2x?x5x11xbf16>, tensor<2x?x4xf32>, tensor<2x?x4xf32>) -> tensor<2x?x5x11xbf16>
  return %y : tensor<2x?x5x11xbf16>
}
