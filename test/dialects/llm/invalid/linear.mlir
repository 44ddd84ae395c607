// RUN: not %octavo-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: 'llm.weight' op expected a non-empty key
%w = "llm.weight"() {key = ""} : () -> tensor<8xf32>
// -----
// CHECK: 'llm.weight' op expected a static shape, got tensor<?x8xf32>
%w = "llm.weight"() {key = "w"} : () -> tensor<?x8xf32>

// -----
// CHECK: 'llm.embedding' op expected table of rank 2 [vocab, n], got [8]
%e, %i = "test.values"() : () -> (tensor<8xf32>, tensor<2xi32>)
%y = "llm.embedding"(%e, %i) : (tensor<8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
// -----
// CHECK: 'llm.embedding' op expected ids of element type i32, got i64
%e, %i = "test.values"() : () -> (tensor<9x8xf32>, tensor<2xi64>)
%y = "llm.embedding"(%e, %i) : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
// -----
// CHECK: 'llm.embedding' op expected out of shape [2, ?, 8], got [2, 3, 9]
%e, %i = "test.values"() : () -> (tensor<9x8xf32>, tensor<2x?xi32>)
%y = "llm.embedding"(%e, %i) : (tensor<9x8xf32>, tensor<2x?xi32>) -> tensor<2x3x9xf32>
// -----
// CHECK: 'llm.embedding' op expected out of table's element type bf16, got f32
%e, %i = "test.values"() : () -> (tensor<9x8xbf16>, tensor<2xi32>)
%y = "llm.embedding"(%e, %i) : (tensor<9x8xbf16>, tensor<2xi32>) -> tensor<2x8xf32>

// -----
// CHECK: 'llm.linear' op expected x of rank 1 or more, got []
%x, %w = "test.values"() : () -> (tensor<f32>, tensor<4x8xf32>)
%y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<f32>, tensor<4x8xf32>) -> tensor<4xf32>
// -----
// CHECK: 'llm.linear' op expected x of a float element type, got i8
%x, %w = "test.values"() : () -> (tensor<2x8xi8>, tensor<4x8xf32>)
%y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x8xi8>, tensor<4x8xf32>) -> tensor<2x4xf32>
// -----
// CHECK: 'llm.linear' op expected weight of rank 2 [n, k], got [2, 4, 8]
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<2x4x8xf32>)
%y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4xf32>
// -----
// CHECK: 'llm.linear' op expected weight of a float element type, got i8
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<4x8xi8>)
%y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x8xf32>, tensor<4x8xi8>) -> tensor<2x4xf32>
// -----
// CHECK: 'llm.linear' op expected x of shape [2, 8], got [2, 4]
%x, %w = "test.values"() : () -> (tensor<2x4xf32>, tensor<4x8xf32>)
%y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
// -----
// CHECK: 'llm.linear' op expected out of shape [2, 4], got [2, 8]
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<4x8xf32>)
%y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
// -----
// CHECK: 'llm.linear' op expected out of a float element type, got i32
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<4x8xf32>)
%y = "llm.linear"(%x, %w) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xi32>
// -----
// CHECK: 'llm.linear' op expected bias of shape [4], got [2, 4]
%x, %w, %b = "test.values"() : () -> (tensor<2x8xf32>, tensor<4x8xf32>, tensor<2x4xf32>)
%y = "llm.linear"(%x, %w, %b) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// -----
// CHECK: 'llm.linear' op expected bias of a float element type, got i32
%x, %w, %b = "test.values"() : () -> (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xi32>)
%y = "llm.linear"(%x, %w, %b) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xi32>) -> tensor<2x4xf32>
// -----
// CHECK: 'llm.linear' op expected residual to have the type of out tensor<2x4xf32>, got tensor<4xf32>
%x, %w, %r = "test.values"() : () -> (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>)
%y = "llm.linear"(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// -----
// CHECK: 'llm.logits' op expected x of rank 3 [b, t, k], got [2, 8]
%x, %w, %l = "test.values"() : () -> (tensor<2x8xf32>, tensor<9x8xf32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x8xf32>, tensor<9x8xf32>, tensor<2xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected x of a float element type, got i32
%x, %w, %l = "test.values"() : () -> (tensor<2x3x8xi32>, tensor<9x8xf32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x8xi32>, tensor<9x8xf32>, tensor<2xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected weight of rank 2 [vocab, k], got [8]
%x, %w, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<8xf32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<2xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected weight of a float element type, got i8
%x, %w, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<9x8xi8>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x8xf32>, tensor<9x8xi8>, tensor<2xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected x of shape [2, 3, 8], got [2, 3, 7]
%x, %w, %l = "test.values"() : () -> (tensor<2x3x7xf32>, tensor<9x8xf32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x7xf32>, tensor<9x8xf32>, tensor<2xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected bias of shape [9], got [8]
%x, %w, %b, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<8xf32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %b, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<8xf32>, tensor<2xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected bias of a float element type, got i32
%x, %w, %b, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<9xi32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %b, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<9xi32>, tensor<2xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected lens of shape [2], got [3]
%x, %w, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<3xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<3xi32>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected lens of element type i32, got i64
%x, %w, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<2xi64>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<2xi64>) -> tensor<2x9xf32>
// -----
// CHECK: 'llm.logits' op expected out of shape [2, 9], got [2, 3, 9]
%x, %w, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<2xi32>) -> tensor<2x3x9xf32>
// -----
// CHECK: 'llm.logits' op expected out of a float element type, got i32
%x, %w, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<2xi32>)
%y = "llm.logits"(%x, %w, %l) {operandSegmentSizes = array<i32: 1, 1, 0, 1>} : (tensor<2x3x8xf32>, tensor<9x8xf32>, tensor<2xi32>) -> tensor<2x9xi32>

// -----
// CHECK: 'llm.last_token' op expected x of rank 2 or more, got [2]
%x, %l = "test.values"() : () -> (tensor<2xf32>, tensor<2xi32>)
%y = "llm.last_token"(%x, %l) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
// -----
// CHECK: 'llm.last_token' op expected x of a float element type, got i32
%x, %l = "test.values"() : () -> (tensor<2x3xi32>, tensor<2xi32>)
%y = "llm.last_token"(%x, %l) : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2xi32>
// -----
// CHECK: 'llm.last_token' op expected lens of shape [2], got [3]
%x, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<3xi32>)
%y = "llm.last_token"(%x, %l) : (tensor<2x3x8xf32>, tensor<3xi32>) -> tensor<2x8xf32>
// -----
// CHECK: 'llm.last_token' op expected lens of element type i32, got i64
%x, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<2xi64>)
%y = "llm.last_token"(%x, %l) : (tensor<2x3x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
// -----
// CHECK: 'llm.last_token' op expected out of shape [2, 8], got [2, 3]
%x, %l = "test.values"() : () -> (tensor<2x3x8xf32>, tensor<2xi32>)
%y = "llm.last_token"(%x, %l) : (tensor<2x3x8xf32>, tensor<2xi32>) -> tensor<2x3xf32>
// -----
// CHECK: 'llm.last_token' op expected out of x's element type bf16, got f32
%x, %l = "test.values"() : () -> (tensor<2x3x8xbf16>, tensor<2xi32>)
%y = "llm.last_token"(%x, %l) : (tensor<2x3x8xbf16>, tensor<2xi32>) -> tensor<2x8xf32>
