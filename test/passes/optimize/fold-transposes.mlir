// RUN: %octavo-opt --passes fold-transposes,eliminate-dead-code %s | FileCheck %s

// CHECK-LABEL: func.func @back_and_forth(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>)
// CHECK-NEXT:    return %[[X]]
func.func @back_and_forth(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<3x2x4xf32>
  %0 = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<3x2x4xf32>) permutation = [1, 0, 2]
  %f = tensor.empty() : tensor<2x3x4xf32>
  %1 = linalg.transpose ins(%0 : tensor<3x2x4xf32>) outs(%f : tensor<2x3x4xf32>) permutation = [1, 0, 2]
  return %1 : tensor<2x3x4xf32>
}

// The order in which the two are combined shows: 4x2x3, then 2x4x3.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>)
// CHECK:         %[[Y:.+]] = linalg.transpose ins(%[[X]] : tensor<2x3x4xf32>) {{.+}} permutation = [0, 2, 1]
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[Y]] : tensor<2x4x3xf32>
func.func @twice(%x: tensor<2x3x4xf32>) -> tensor<2x4x3xf32> {
  %e = tensor.empty() : tensor<4x2x3xf32>
  %0 = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  %f = tensor.empty() : tensor<2x4x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<4x2x3xf32>) outs(%f : tensor<2x4x3xf32>) permutation = [1, 0, 2]
  return %1 : tensor<2x4x3xf32>
}

// CHECK-LABEL: func.func @nothing_moves(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK-NEXT:    return %[[X]]
func.func @nothing_moves(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [0, 1]
  return %0 : tensor<?x?xf32>
}

// The first transpose has another reader, so it stays for that one.
// CHECK-LABEL: func.func @two_readers(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK:         %[[T:.+]] = linalg.transpose ins(%[[X]]
// CHECK:         return %[[T]], %[[X]]
func.func @two_readers(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.transpose ins(%0 : tensor<3x2xf32>) outs(%f : tensor<2x3xf32>) permutation = [1, 0]
  return %0, %1 : tensor<3x2xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @something_between(
// CHECK:         linalg.transpose
// CHECK:         "llm.scale"
// CHECK:         linalg.transpose
func.func @something_between(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %1 = "llm.scale"(%0) {factor = 2.0 : f64} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %f = tensor.empty() : tensor<2x3xf32>
  %2 = linalg.transpose ins(%1 : tensor<3x2xf32>) outs(%f : tensor<2x3xf32>) permutation = [1, 0]
  return %2 : tensor<2x3xf32>
}
