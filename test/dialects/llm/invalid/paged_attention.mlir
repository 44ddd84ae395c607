// RUN: not %octavo-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: 'llm.kv_write' op expected pool of rank 4 [blocks, kv_heads, block_size, d], got [?, 16, 8]
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected pool of a float element type, got i8
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xi8>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xi8>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xi8>
// -----
// CHECK: 'llm.kv_write' op expected static sizes in pool after the blocks
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x?x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x?x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x?x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected new of rank 4 [b, t, kv_heads, d], got [2, 4, 24]
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x24xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x24xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected new of shape [2, 4, 3, 8], got [2, 4, 6, 8]
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x6x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x6x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected new of pool's element type f16, got f32
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf32>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf32>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected table of rank 2 [b, blocks of a row], got [?]
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected table of shape [2, 7], got [3, 7]
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<3x7xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<3x7xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected table of element type i32, got i64
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi64>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi64>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected start of shape [2], got [4]
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<4xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<4xi32>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected start of element type i32, got index
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xindex>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xindex>, tensor<2xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected lens of shape [2], got [2, 4]
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2x4xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2x4xi32>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected lens of element type i32, got i64
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi64>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi64>) -> tensor<?x3x16x8xf16>
// -----
// CHECK: 'llm.kv_write' op expected out to have the type of pool tensor<?x3x16x8xf16>, got tensor<5x3x16x8xf16>
%pool, %new, %table, %start, %lens = "test.values"() : () -> (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.kv_write"(%pool, %new, %table, %start, %lens)
    : (tensor<?x3x16x8xf16>, tensor<2x4x3x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x3x16x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected q of rank 4 [b, t, heads, d], got [2, 6, 8]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected q of a float element type, got i32
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xi32>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xi32>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected k_pool of rank 4 [blocks, kv_heads, block_size, d], got [?, 3, 128]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x128xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x128xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected k_pool of a float element type, got i8
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xi8>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xi8>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected static sizes in k_pool after the blocks
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x?xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x?xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected v_pool of rank 4 [blocks, kv_heads, block_size, d], got [?, 3, 128]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x128xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x128xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected v_pool of a float element type, got i8
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xi8>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xi8>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected static sizes in v_pool after the blocks
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x?x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x?x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected k_pool of shape [?, 3, 16, 8], got [?, 3, 16, 4]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x4xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x4xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected v_pool of shape [?, 3, 16, 8], got [?, 3, 32, 8]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x32x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x32x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected static numbers of heads
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x?x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x?x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected query heads to be a multiple of the 3 key-value heads, got 5
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x5x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x5x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected a positive scale, got -1.0
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = -1.0 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected window to be a positive integer or none, got -2 : i64
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = -2 : i64}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected softcap to be a positive float or none, got 0.0
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = 0.0 : f64, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected table of rank 2 [b, blocks of a row], got [?]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected table of shape [2, 7], got [3, 7]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<3x7xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<3x7xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected table of element type i32, got i64
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi64>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi64>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected start of shape [2], got [4]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<4xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<4xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected start of element type i32, got index
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xindex>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xindex>, tensor<2xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected lens of shape [2], got [2, 4]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2x4xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2x4xi32>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected lens of element type i32, got i64
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi64>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi64>) -> tensor<2x4x6x8xf16>
// -----
// CHECK: 'llm.paged_attention' op expected out of shape [2, 4, 6, 8], got [2, 4, 6, 16]
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x16xf16>
// -----
// CHECK: 'llm.paged_attention' op expected out of q's element type f16, got f32
%q, %k, %v, %table, %start, %lens = "test.values"() : () -> (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>)
%y = "llm.paged_attention"(%q, %k, %v, %table, %start, %lens) {scale = 0.5 : f64, softcap = none, window = none}
    : (tensor<2x4x6x8xf16>, tensor<?x3x16x8xf16>, tensor<?x3x16x8xf16>, tensor<2x?xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x6x8xf32>
