// RUN: not %octavo-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: 'llm.activation' op expected x of a float element type, got i32
%x = "test.value"() : () -> tensor<8xi32>
%y = "llm.activation"(%x) {kind = "silu"} : (tensor<8xi32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.activation' op expected out to have the type of x tensor<8xf32>, got tensor<4xf32>
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.activation"(%x) {kind = "silu"} : (tensor<8xf32>) -> tensor<4xf32>
// -----
// CHECK: 'llm.activation' op expected kind to be one of "silu", "gelu", "gelu_tanh", "relu", "sigmoid", "tanh", got "swish"
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.activation"(%x) {kind = "swish"} : (tensor<8xf32>) -> tensor<8xf32>

// -----
// CHECK: 'llm.swiglu' op expected gate of a float element type, got i32
%x = "test.value"() : () -> tensor<8xi32>
%y = "llm.swiglu"(%x, %x) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.swiglu' op expected up to have the type of gate tensor<8xf32>, got tensor<4xf32>
%x, %u = "test.values"() : () -> (tensor<8xf32>, tensor<4xf32>)
%y = "llm.swiglu"(%x, %u) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
// -----
// CHECK: 'llm.swiglu' op expected out to have the type of gate tensor<8xf32>, got tensor<8xf16>
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.swiglu"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf16>

// -----
// CHECK: 'llm.geglu' op expected gate of a float element type, got i32
%x = "test.value"() : () -> tensor<8xi32>
%y = "llm.geglu"(%x, %x) {approximate = "none"} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.geglu' op expected up to have the type of gate tensor<8xf32>, got tensor<4xf32>
%x, %u = "test.values"() : () -> (tensor<8xf32>, tensor<4xf32>)
%y = "llm.geglu"(%x, %u) {approximate = "none"} : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
// -----
// CHECK: 'llm.geglu' op expected out to have the type of gate tensor<8xf32>, got tensor<8xf16>
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.geglu"(%x, %x) {approximate = "none"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf16>
// -----
// CHECK: 'llm.geglu' op expected approximate to be one of "none", "tanh", got "erf"
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.geglu"(%x, %x) {approximate = "erf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>

// -----
// CHECK: 'llm.scale' op expected x of a float element type, got i32
%x = "test.value"() : () -> tensor<8xi32>
%y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<8xi32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.scale' op expected out to have the type of x tensor<8xf32>, got tensor<4xf32>
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.scale"(%x) {factor = 2.0 : f64} : (tensor<8xf32>) -> tensor<4xf32>

// -----
// CHECK: 'llm.softcap' op expected x of a float element type, got i32
%x = "test.value"() : () -> tensor<8xi32>
%y = "llm.softcap"(%x) {cap = 2.0 : f64} : (tensor<8xi32>) -> tensor<8xi32>
// -----
// CHECK: 'llm.softcap' op expected out to have the type of x tensor<8xf32>, got tensor<4xf32>
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.softcap"(%x) {cap = 2.0 : f64} : (tensor<8xf32>) -> tensor<4xf32>
// -----
// CHECK: 'llm.softcap' op expected a positive cap, got 0.0
%x = "test.value"() : () -> tensor<8xf32>
%y = "llm.softcap"(%x) {cap = 0.0 : f64} : (tensor<8xf32>) -> tensor<8xf32>
