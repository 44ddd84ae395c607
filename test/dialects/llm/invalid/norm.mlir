// RUN: not %octavo-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: 'llm.rms_norm' op expected x of rank 1 or more, got []
%x, %w = "test.values"() : () -> (tensor<f32>, tensor<8xf32>)
%y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<f32>, tensor<8xf32>) -> tensor<f32>
// -----
// CHECK: 'llm.rms_norm' op expected x of a float element type, got i32
%x, %w = "test.values"() : () -> (tensor<8xi32>, tensor<8xf32>)
%y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<8xi32>, tensor<8xf32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.rms_norm' op expected a positive eps, got 0.0
%x, %w = "test.values"() : () -> (tensor<8xf32>, tensor<8xf32>)
%y = "llm.rms_norm"(%x, %w) {eps = 0.0 : f64, weight_offset = 0.0 : f64} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// -----
// CHECK: 'llm.rms_norm' op expected weight of shape [8], got [4]
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<4xf32>)
%y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<4xf32>) -> tensor<2x8xf32>
// -----
// CHECK: 'llm.rms_norm' op expected weight of a float element type, got i8
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<8xi8>)
%y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<8xi8>) -> tensor<2x8xf32>
// -----
// CHECK: 'llm.rms_norm' op expected out to have the type of x tensor<2x8xf32>, got tensor<2x8xf16>
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<8xf32>)
%y = "llm.rms_norm"(%x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf16>

// -----
// CHECK: 'llm.add_rms_norm' op expected x of rank 1 or more, got []
%x, %w = "test.values"() : () -> (tensor<f32>, tensor<8xf32>)
%y:2 = "llm.add_rms_norm"(%x, %x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<f32>, tensor<f32>, tensor<8xf32>) -> (tensor<f32>, tensor<f32>)
// -----
// CHECK: 'llm.add_rms_norm' op expected x of a float element type, got i32
%x, %w = "test.values"() : () -> (tensor<8xi32>, tensor<8xf32>)
%y:2 = "llm.add_rms_norm"(%x, %x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<8xi32>, tensor<8xi32>, tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi32>)
// -----
// CHECK: 'llm.add_rms_norm' op expected a positive eps, got -1.0
%x, %w = "test.values"() : () -> (tensor<8xf32>, tensor<8xf32>)
%y:2 = "llm.add_rms_norm"(%x, %x, %w) {eps = -1.0 : f64, weight_offset = 0.0 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// -----
// CHECK: 'llm.add_rms_norm' op expected residual to have the type of x tensor<2x8xf32>, got tensor<1x8xf32>
%x, %r, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<1x8xf32>, tensor<8xf32>)
%y:2 = "llm.add_rms_norm"(%x, %r, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<1x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
// -----
// CHECK: 'llm.add_rms_norm' op expected weight of shape [8], got [1, 8]
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<1x8xf32>)
%y:2 = "llm.add_rms_norm"(%x, %x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<1x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
// -----
// CHECK: 'llm.add_rms_norm' op expected weight of a float element type, got i8
%x, %w = "test.values"() : () -> (tensor<2x8xf32>, tensor<8xi8>)
%y:2 = "llm.add_rms_norm"(%x, %x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<8xi8>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
// -----
// CHECK: 'llm.add_rms_norm' op expected sum to have the type of x tensor<8xf16>, got tensor<8xf32>
%x, %w = "test.values"() : () -> (tensor<8xf16>, tensor<8xf32>)
%y:2 = "llm.add_rms_norm"(%x, %x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<8xf16>, tensor<8xf16>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf16>)
// -----
// CHECK: 'llm.add_rms_norm' op expected out to have the type of x tensor<8xf16>, got tensor<8xf32>
%x, %w = "test.values"() : () -> (tensor<8xf16>, tensor<8xf32>)
%y:2 = "llm.add_rms_norm"(%x, %x, %w) {eps = 1.0e-5 : f64, weight_offset = 0.0 : f64} : (tensor<8xf16>, tensor<8xf16>, tensor<8xf32>) -> (tensor<8xf16>, tensor<8xf32>)

// -----
// CHECK: 'llm.layer_norm' op expected x of rank 1 or more, got []
%x = "test.value"() : () -> tensor<f32>
%y = "llm.layer_norm"(%x) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<f32>) -> tensor<f32>
// -----
// CHECK: 'llm.layer_norm' op expected x of a float element type, got i32
%x = "test.value"() : () -> tensor<8xi32>
%y = "llm.layer_norm"(%x) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<8xi32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.layer_norm' op expected a positive eps, got 0.0
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.layer_norm"(%x) {eps = 0.0 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<8xf32>) -> tensor<8xf32>
// -----
// CHECK: 'llm.layer_norm' op expected weight of shape [8], got [2]
%x, %w = "test.values"() : () -> (tensor<8xf32>, tensor<2xf32>)
%y = "llm.layer_norm"(%x, %w) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<8xf32>, tensor<2xf32>) -> tensor<8xf32>
// -----
// CHECK: 'llm.layer_norm' op expected bias of shape [8], got [2]
%x, %b = "test.values"() : () -> (tensor<8xf32>, tensor<2xf32>)
%y = "llm.layer_norm"(%x, %b) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<8xf32>, tensor<2xf32>) -> tensor<8xf32>
// -----
// CHECK: 'llm.layer_norm' op expected bias of a float element type, got i32
%x, %b = "test.values"() : () -> (tensor<8xf32>, tensor<8xi32>)
%y = "llm.layer_norm"(%x, %b) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
// -----
// CHECK: 'llm.layer_norm' op expected out to have the type of x tensor<8xf32>, got tensor<?xf32>
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.layer_norm"(%x) {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<8xf32>) -> tensor<?xf32>
