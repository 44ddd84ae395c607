// RUN: %octavo-opt --passes lower-activation %s | FileCheck %s

// CHECK-LABEL: func.func @swiglu(
// CHECK:         linalg.generic {{.+}} ins(%{{.+}} : tensor<?x8xbf16>, tensor<?x8xbf16>) outs(%{{.+}} : tensor<?x8xbf16>)
// CHECK-COUNT-2:   arith.extf
// CHECK:           math.exp
// CHECK:           arith.truncf
func.func @swiglu(%g: tensor<?x8xbf16>, %u: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %y = "llm.swiglu"(%g, %u) : (tensor<?x8xbf16>, tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}

// CHECK-LABEL: func.func @geglu(
// CHECK:           math.erf
// CHECK:           math.tanh
func.func @geglu(%g: tensor<8xf32>, %u: tensor<8xf32>) -> tensor<8xf32> {
  %y = "llm.geglu"(%g, %u) {approximate = "none"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %z = "llm.geglu"(%g, %y) {approximate = "tanh"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// CHECK-LABEL: func.func @of_one(
// CHECK:           arith.maximumf
// CHECK:           math.tanh
// CHECK:           arith.mulf
// CHECK-NOT:     llm.
func.func @of_one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = "llm.activation"(%x) {kind = "relu"} : (tensor<8xf32>) -> tensor<8xf32>
  %b = "llm.softcap"(%a) {cap = 9.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  %c = "llm.scale"(%b) {factor = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
