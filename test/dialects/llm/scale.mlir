// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @scale(
// CHECK:         "llm.scale"(%{{.+}}) {factor = {{.+}} : f64} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
func.func @scale(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %y = "llm.scale"(%x) {factor = -0.5 : f64} : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %y : tensor<?x8xbf16>
}
