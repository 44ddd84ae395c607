// RUN: not %octavo-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: 'llm.attention' op expected q of rank 4 [b, tokens, heads, d], got [2, 4, 48]
%q, %k, %v = "test.values"() : () -> (tensor<2x4x48xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x48xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected q of a float element type, got i32
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xi32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xi32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected k of rank 4 [b, tokens, heads, d], got [9, 3, 8]
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected k of a float element type, got i8
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xi8>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xi8>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected v of rank 4 [b, tokens, heads, d], got [9, 3, 8]
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected v of a float element type, got i8
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xi8>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xi8>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected k of shape [2, 9, 3, 8], got [2, 9, 3, 16]
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x16xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x16xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected v of shape [2, 9, 3, 8], got [2, 9, 1, 8]
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x1x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x1x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected static numbers of heads
%q, %k, %v = "test.values"() : () -> (tensor<2x4x?x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x?x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x?x8xf32>
// -----
// CHECK: 'llm.attention' op expected query heads to be a multiple of the 3 key-value heads, got 4
%q, %k, %v = "test.values"() : () -> (tensor<2x4x4x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x4x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x4x8xf32>
// -----
// CHECK: 'llm.attention' op expected a positive scale, got 0.0
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.0 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected window to be a positive integer or none, got 0 : i64
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected window to be a positive integer or none, got 4.0
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = 4.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected softcap to be a positive float or none, got -1.0
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = -1.0 : f64, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected softcap to be a positive float or none, got 30 : i64
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = 30 : i64, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected causal = true with a window
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = false, scale = 0.5 : f64, softcap = none, window = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected mask of rank 4 [b | 1, heads | 1, t, s], got [4, 9]
%q, %k, %v, %mask = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<4x9xi1>)
%y = "llm.attention"(%q, %k, %v, %mask) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 1>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<4x9xi1>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected mask of shape [1, 1, 4, 9], got [1, 1, 9, 4]
%q, %k, %v, %mask = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<1x1x9x4xi1>)
%y = "llm.attention"(%q, %k, %v, %mask) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 1>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<1x1x9x4xi1>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected mask of shape [2, 6, 4, 9], got [3, 6, 4, 9]
%q, %k, %v, %mask = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<3x6x4x9xf32>)
%y = "llm.attention"(%q, %k, %v, %mask) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 1>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<3x6x4x9xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected mask of shape [2, 6, 4, 9], got [2, 3, 4, 9]
%q, %k, %v, %mask = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<2x3x4x9xf32>)
%y = "llm.attention"(%q, %k, %v, %mask) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 1>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<2x3x4x9xf32>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected mask of element type i1 or a float, got i8
%q, %k, %v, %mask = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<1x1x4x9xi8>)
%y = "llm.attention"(%q, %k, %v, %mask) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 1>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>, tensor<1x1x4x9xi8>) -> tensor<2x4x6x8xf32>
// -----
// CHECK: 'llm.attention' op expected out of shape [2, 4, 6, 8], got [2, 6, 4, 8]
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x6x4x8xf32>
// -----
// CHECK: 'llm.attention' op expected out of q's element type f32, got bf16
%q, %k, %v = "test.values"() : () -> (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>)
%y = "llm.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f64, softcap = none, window = none, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
    : (tensor<2x4x6x8xf32>, tensor<2x9x3x8xf32>, tensor<2x9x3x8xf32>) -> tensor<2x4x6x8xbf16>
