// RUN: %octavo-opt --passes fuse-add-rms-norm %s | FileCheck %s

// The sum is read again by the next block, so the fused operation returns it; the offset must come along.
// CHECK-LABEL: func.func @residual(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x8xf32>, %[[R:[a-z0-9]+]]: tensor<2x8xf32>, %[[W:[a-z0-9]+]]: tensor<8xf32>)
// CHECK-NOT:     arith.addf
// CHECK:         %[[F:.+]]:2 = "llm.add_rms_norm"(%[[X]], %[[R]], %[[W]]) {{.*}}weight_offset = 1.000000e+00
// CHECK:         %[[Z:.+]] = "llm.scale"(%[[F]]#0)
// CHECK:         return %[[F]]#1, %[[Z]]
func.func @residual(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>, %w: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %s = arith.addf %x, %r : tensor<2x8xf32>
  %y = "llm.rms_norm"(%s, %w) {eps = 1.0e-5 : f64, weight_offset = 1.0 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %z = "llm.scale"(%s) {factor = 2.0 : f64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y, %z : tensor<2x8xf32>, tensor<2x8xf32>
}

// The sum is read before the norm, where the fused operation has not defined it yet.
// CHECK-LABEL: func.func @read_before(
// CHECK:         arith.addf
// CHECK:         "llm.rms_norm"
// CHECK-NOT:     llm.add_rms_norm
// CHECK:         return
func.func @read_before(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>, %w: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %s = arith.addf %x, %r : tensor<2x8xf32>
  %z = "llm.scale"(%s) {factor = 2.0 : f64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = "llm.rms_norm"(%s, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y, %z : tensor<2x8xf32>, tensor<2x8xf32>
}

// Of two norms of one sum, the first takes it.
// CHECK-LABEL: func.func @two_norms(
// CHECK:         %[[F:.+]]:2 = "llm.add_rms_norm"
// CHECK:         %[[N:.+]] = "llm.rms_norm"(%[[F]]#0
// CHECK:         return %[[F]]#1, %[[N]]
func.func @two_norms(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>, %w: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %s = arith.addf %x, %r : tensor<2x8xf32>
  %y = "llm.rms_norm"(%s, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %z = "llm.rms_norm"(%s, %w) {eps = 1.0e-6 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y, %z : tensor<2x8xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: func.func @another_operation(
// CHECK:         arith.mulf
// CHECK:         "llm.rms_norm"
func.func @another_operation(%x: tensor<2x8xf32>, %r: tensor<2x8xf32>, %w: tensor<8xf32>) -> tensor<2x8xf32> {
  %s = arith.mulf %x, %r : tensor<2x8xf32>
  %y = "llm.rms_norm"(%s, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
