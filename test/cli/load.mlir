// RUN: %octavo-opt --load %S/Inputs/plugin.py --passes 'scale-twice{times=3}' %s | FileCheck %s

// CHECK-LABEL:    func.func @scaled(
// CHECK-COUNT-3:    "llm.scale"
// CHECK-NOT:        "llm.scale"
func.func @scaled(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
