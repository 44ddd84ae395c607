// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @softcap(
// CHECK:         "llm.softcap"(%{{.+}}) {cap = {{.+}} : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @softcap(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = "llm.softcap"(%x) {cap = 30.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
