// RUN: not %octavo-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: 'llm.positions' op expected tokens of rank 2 [b, t], got [8]
%t, %row = "test.values"() : () -> (tensor<8xi32>, tensor<8xi32>)
%y = "llm.positions"(%t, %row, %row) : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.positions' op expected tokens of element type i32, got i64
%t, %row = "test.values"() : () -> (tensor<2x8xi64>, tensor<2xi32>)
%y = "llm.positions"(%t, %row, %row) : (tensor<2x8xi64>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x8xi64>
// -----
// CHECK: 'llm.positions' op expected start of shape [2], got [3]
%t, %start, %lens = "test.values"() : () -> (tensor<2x8xi32>, tensor<3xi32>, tensor<2xi32>)
%y = "llm.positions"(%t, %start, %lens) : (tensor<2x8xi32>, tensor<3xi32>, tensor<2xi32>) -> tensor<2x8xi32>
// -----
// CHECK: 'llm.positions' op expected start of element type i32, got i64
%t, %start, %lens = "test.values"() : () -> (tensor<2x8xi32>, tensor<2xi64>, tensor<2xi32>)
%y = "llm.positions"(%t, %start, %lens) : (tensor<2x8xi32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2x8xi32>
// -----
// CHECK: 'llm.positions' op expected lens of shape [2], got [2, 1]
%t, %start, %lens = "test.values"() : () -> (tensor<2x8xi32>, tensor<2xi32>, tensor<2x1xi32>)
%y = "llm.positions"(%t, %start, %lens) : (tensor<2x8xi32>, tensor<2xi32>, tensor<2x1xi32>) -> tensor<2x8xi32>
// -----
// CHECK: 'llm.positions' op expected lens of element type i32, got f32
%t, %start, %lens = "test.values"() : () -> (tensor<2x8xi32>, tensor<2xi32>, tensor<2xf32>)
%y = "llm.positions"(%t, %start, %lens) : (tensor<2x8xi32>, tensor<2xi32>, tensor<2xf32>) -> tensor<2x8xi32>
// -----
// CHECK: 'llm.positions' op expected out to have the type of tokens tensor<2x8xi32>, got tensor<2x8xi64>
%t, %row = "test.values"() : () -> (tensor<2x8xi32>, tensor<2xi32>)
%y = "llm.positions"(%t, %row, %row) : (tensor<2x8xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x8xi64>

// -----
// CHECK: 'llm.rope_table' op expected positions of rank 2 [b, t], got [5]
%p, %f = "test.values"() : () -> (tensor<5xi32>, tensor<4xf32>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<5xi32>, tensor<4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
// -----
// CHECK: 'llm.rope_table' op expected positions of element type i32, got i64
%p, %f = "test.values"() : () -> (tensor<2x5xi64>, tensor<4xf32>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x5xi64>, tensor<4xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>)
// -----
// CHECK: 'llm.rope_table' op expected inv_freq of rank 1 [r], got [1, 4]
%p, %f = "test.values"() : () -> (tensor<2x5xi32>, tensor<1x4xf32>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x5xi32>, tensor<1x4xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>)
// -----
// CHECK: 'llm.rope_table' op expected inv_freq of element type f32, got f16
%p, %f = "test.values"() : () -> (tensor<2x5xi32>, tensor<4xf16>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x5xi32>, tensor<4xf16>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>)
// -----
// CHECK: 'llm.rope_table' op expected cos of shape [2, 5, 4], got [2, 5, 8]
%p, %f = "test.values"() : () -> (tensor<2x5xi32>, tensor<4xf32>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x5xi32>, tensor<4xf32>) -> (tensor<2x5x8xf32>, tensor<2x5x4xf32>)
// -----
// CHECK: 'llm.rope_table' op expected cos of element type f32, got bf16
%p, %f = "test.values"() : () -> (tensor<2x5xi32>, tensor<4xf32>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x5xi32>, tensor<4xf32>) -> (tensor<2x5x4xbf16>, tensor<2x5x4xf32>)
// -----
// CHECK: 'llm.rope_table' op expected sin of shape [2, 5, 4], got [2, 4]
%p, %f = "test.values"() : () -> (tensor<2x5xi32>, tensor<4xf32>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x5xi32>, tensor<4xf32>) -> (tensor<2x5x4xf32>, tensor<2x4xf32>)
// -----
// CHECK: 'llm.rope_table' op expected sin of element type f32, got f64
%p, %f = "test.values"() : () -> (tensor<2x5xi32>, tensor<4xf32>)
%y:2 = "llm.rope_table"(%p, %f) {scaling = 1.0 : f64} : (tensor<2x5xi32>, tensor<4xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf64>)

// -----
// CHECK: 'llm.rope' op expected x of rank 4 [b, t, heads, d], got [2, 5, 8]
%x, %c = "test.values"() : () -> (tensor<2x5x8xf32>, tensor<2x5x4xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x8xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x8xf32>
// -----
// CHECK: 'llm.rope' op expected x of a float element type, got i8
%x, %c = "test.values"() : () -> (tensor<2x5x3x8xi8>, tensor<2x5x4xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x3x8xi8>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x3x8xi8>
// -----
// CHECK: 'llm.rope' op expected cos of rank 3 [b, t, r], got [5, 4]
%x, %c = "test.values"() : () -> (tensor<2x5x3x8xf32>, tensor<5x4xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x3x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3x8xf32>
// -----
// CHECK: 'llm.rope' op expected cos of shape [2, 5, 4], got [1, 5, 4]
%x, %c = "test.values"() : () -> (tensor<2x5x3x8xf32>, tensor<1x5x4xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x3x8xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<2x5x3x8xf32>
// -----
// CHECK: 'llm.rope' op expected sin to have the type of cos tensor<2x5x4xf32>, got tensor<2x5x2xf32>
%x, %c, %s = "test.values"() : () -> (tensor<2x5x3x8xf32>, tensor<2x5x4xf32>, tensor<2x5x2xf32>)
%y = "llm.rope"(%x, %c, %s) {style = "neox"} : (tensor<2x5x3x8xf32>, tensor<2x5x4xf32>, tensor<2x5x2xf32>) -> tensor<2x5x3x8xf32>
// -----
// CHECK: 'llm.rope' op expected cos of element type f32, got bf16
%x, %c = "test.values"() : () -> (tensor<2x5x3x8xbf16>, tensor<2x5x4xbf16>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x3x8xbf16>, tensor<2x5x4xbf16>, tensor<2x5x4xbf16>) -> tensor<2x5x3x8xbf16>
// -----
// CHECK: 'llm.rope' op expected static sizes of a head and of the rope table
%x, %c = "test.values"() : () -> (tensor<2x5x3x?xf32>, tensor<2x5x4xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x3x?xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x3x?xf32>
// -----
// CHECK: 'llm.rope' op expected at most 4 frequencies for heads of 9, got 5
%x, %c = "test.values"() : () -> (tensor<2x5x3x9xf32>, tensor<2x5x5xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x3x9xf32>, tensor<2x5x5xf32>, tensor<2x5x5xf32>) -> tensor<2x5x3x9xf32>
// -----
// CHECK: 'llm.rope' op expected out to have the type of x tensor<2x5x3x8xf16>, got tensor<2x5x3x8xf32>
%x, %c = "test.values"() : () -> (tensor<2x5x3x8xf16>, tensor<2x5x4xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "neox"} : (tensor<2x5x3x8xf16>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x3x8xf32>
// -----
// CHECK: 'llm.rope' op expected style to be one of "neox", "interleaved", got "gptj"
%x, %c = "test.values"() : () -> (tensor<2x5x3x8xf32>, tensor<2x5x4xf32>)
%y = "llm.rope"(%x, %c, %c) {style = "gptj"} : (tensor<2x5x3x8xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x3x8xf32>
