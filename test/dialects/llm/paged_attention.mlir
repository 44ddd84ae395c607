// RUN: %octavo-opt %s | %octavo-opt - | FileCheck %s

// CHECK-LABEL: func.func @paged_attention(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<4x?x9x64xf16>, %[[K:[a-z0-9]+]]: tensor<?x3x16x64xf16>, %[[V:[a-z0-9]+]]: tensor<?x3x16x32xf16>,
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: tensor<4x?xi32>, %[[START:[a-z0-9]+]]: tensor<4xi32>, %[[LENS:[a-z0-9]+]]: tensor<4xi32>)
// CHECK:         %[[Y:.+]] = "llm.paged_attention"(%[[Q]], %[[K]], %[[V]], %[[TABLE]], %[[START]], %[[LENS]])
// CHECK-SAME:      {scale = {{.+}} : f64, softcap = {{.+}} : f64, window = 4096 : i64}
// CHECK-SAME:      -> tensor<4x?x9x32xf16>
// CHECK:         return %[[Y]]
func.func @paged_attention(
    %q: tensor<4x?x9x64xf16>, %k: tensor<?x3x16x64xf16>, %v: tensor<?x3x16x32xf16>,
    %table: tensor<4x?xi32>, %start: tensor<4xi32>, %lens: tensor<4xi32>) -> tensor<4x?x9x32xf16> {
  %y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens)
      {scale = 0.125 : f64, softcap = 50.0 : f64, window = 4096 : i64}
      : (tensor<4x?x9x64xf16>, tensor<?x3x16x64xf16>, tensor<?x3x16x32xf16>, tensor<4x?xi32>,
         tensor<4xi32>, tensor<4xi32>) -> tensor<4x?x9x32xf16>
  return %y : tensor<4x?x9x32xf16>
}

// CHECK-LABEL: func.func @no_window_and_no_cap(
// CHECK:         {scale = {{.+}} : f64, softcap = none, window = none}
func.func @no_window_and_no_cap(
    %q: tensor<1x1x4x7xf32>, %pool: tensor<5x1x4x7xf32>, %table: tensor<1x2xi32>, %row: tensor<1xi32>)
    -> tensor<1x1x4x7xf32> {
  %y = "llm.paged_attention"(%q, %pool, %pool, %table, %row, %row)
      {scale = 0.125 : f64, softcap = none, window = none}
      : (tensor<1x1x4x7xf32>, tensor<5x1x4x7xf32>, tensor<5x1x4x7xf32>, tensor<1x2xi32>,
         tensor<1xi32>, tensor<1xi32>) -> tensor<1x1x4x7xf32>
  return %y : tensor<1x1x4x7xf32>
}
