// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @causal(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<2x?x6x8xf16>, %[[K:[a-z0-9]+]]: tensor<2x?x3x8xf16>, %[[V:[a-z0-9]+]]: tensor<2x?x3x5xf16>)
// CHECK:         "llm.attention"(%[[Q]], %[[K]], %[[V]])
// CHECK-SAME:      {causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0>, scale = {{.+}} : f64, softcap = {{.+}} : f64, window = 7 : i64}
// CHECK-SAME:      : (tensor<2x?x6x8xf16>, tensor<2x?x3x8xf16>, tensor<2x?x3x5xf16>) -> tensor<2x?x6x5xf16>
func.func @causal(%q: tensor<2x?x6x8xf16>, %k: tensor<2x?x3x8xf16>, %v: tensor<2x?x3x5xf16>)
    -> tensor<2x?x6x5xf16> {
  %y = "llm.attention"(%q, %k, %v)
      {causal = true, scale = 0.5 : f64, softcap = 50.0 : f64, window = 7 : i64,
       operandSegmentSizes = array<i32: 1, 1, 1, 0>}
      : (tensor<2x?x6x8xf16>, tensor<2x?x3x8xf16>, tensor<2x?x3x5xf16>) -> tensor<2x?x6x5xf16>
  return %y : tensor<2x?x6x5xf16>
}

// CHECK-LABEL: func.func @masks(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<2x4x6x8xf32>, %[[K:[a-z0-9]+]]: tensor<2x9x6x8xf32>,
// CHECK-SAME:    %[[SEEN:[a-z0-9]+]]: tensor<1x1x4x9xi1>, %[[ADDED:[a-z0-9]+]]: tensor<2x6x4x9xf32>)
// CHECK:         "llm.attention"(%[[Q]], %[[K]], %[[K]], %[[SEEN]])
// CHECK-SAME:      {causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1>, scale = {{.+}} : f64, softcap = none, window = none}
// CHECK:         "llm.attention"(%{{.+}}, %[[K]], %[[K]], %[[ADDED]])
func.func @masks(%q: tensor<2x4x6x8xf32>, %k: tensor<2x9x6x8xf32>, %seen: tensor<1x1x4x9xi1>,
                 %added: tensor<2x6x4x9xf32>) -> tensor<2x4x6x8xf32> {
  %0 = "llm.attention"(%q, %k, %k, %seen)
      {causal = false, scale = 0.5 : f64, softcap = none, window = none,
       operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (tensor<2x4x6x8xf32>, tensor<2x9x6x8xf32>, tensor<2x9x6x8xf32>, tensor<1x1x4x9xi1>)
      -> tensor<2x4x6x8xf32>
  %1 = "llm.attention"(%0, %k, %k, %added)
      {causal = false, scale = 0.5 : f64, softcap = none, window = none,
       operandSegmentSizes = array<i32: 1, 1, 1, 1>}
      : (tensor<2x4x6x8xf32>, tensor<2x9x6x8xf32>, tensor<2x9x6x8xf32>, tensor<2x6x4x9xf32>)
      -> tensor<2x4x6x8xf32>
  return %1 : tensor<2x4x6x8xf32>
}
