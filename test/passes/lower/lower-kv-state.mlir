// RUN: not %octavo-opt --split-input-file --passes lower-kv-state %s 2>&1 | FileCheck %s

// Messages come before the modules that are printed.
// CHECK: state 'k' of @second is tensor<?x2x4x8xf32> at {{.+}}: expected tensor<?x1x4x8xf32>, its type elsewhere
// CHECK: @made at {{.+}} returns state 'k' but does not take it
// CHECK: @twice at {{.+}} takes state 'k' twice
// CHECK: state 'k' of @scalar at {{.+}} is f32: expected a tensor whose first axis, the number of blocks, is dynamic
// CHECK: state 'k' of @fixed at {{.+}} is tensor<4x2xf32>: expected a tensor whose first axis
// CHECK: @unnamed at {{.+}} has llm.state = 3 : i64: expected a name as a string
// CHECK: the module has a function 'allocate_kv', which this pass adds
// CHECK: function 'branches' at {{.+}}: expected a body of one block, got 2

// CHECK-NOT: llm.block_size
module attributes {llm.block_size = 4 : i64} {
// CHECK:       "util.global"() {is_mutable, sym_name = "kv.layer0.k", sym_visibility = "private", type = tensor<?x2x4x8xf32>}
// CHECK:       "util.global"() {is_mutable, sym_name = "kv.layer0.v", sym_visibility = "private", type = tensor<?x2x4x6xf32>}

// Loaded once where the function begins, stored once before it returns; the other arguments stay.
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[NEW:[a-z0-9]+]]: tensor<1x1x2x8xf32> {some.attribute}, %[[ROW:[a-z0-9]+]]: tensor<1xi32>, %[[TABLE:[a-z0-9]+]]: tensor<1x?xi32>)
// CHECK-SAME:    -> tensor<1xi32>
// CHECK:         %[[K:.+]] = "util.global.load"() {global = @kv.layer0.k} : () -> tensor<?x2x4x8xf32>
// CHECK:         %[[V:.+]] = "util.global.load"() {global = @kv.layer0.v} : () -> tensor<?x2x4x6xf32>
// CHECK:         %[[KN:.+]] = "llm.kv_write"(%[[K]], %[[NEW]], %[[TABLE]], %[[ROW]], %[[ROW]])
// CHECK:         "util.global.store"(%[[KN]]) {global = @kv.layer0.k}
// CHECK:         "util.global.store"(%[[V]]) {global = @kv.layer0.v}
// CHECK-NEXT:    return %[[ROW]] : tensor<1xi32>
func.func @step(%new: tensor<1x1x2x8xf32> {some.attribute}, %k: tensor<?x2x4x8xf32> {llm.state = "layer0.k"},
    %v: tensor<?x2x4x6xf32> {llm.state = "layer0.v"}, %row: tensor<1xi32>, %table: tensor<1x?xi32>)
    -> (tensor<?x2x4x8xf32> {llm.state = "layer0.k"}, tensor<1xi32>, tensor<?x2x4x6xf32> {llm.state = "layer0.v"}) {
  %kn = "llm.kv_write"(%k, %new, %table, %row, %row)
    : (tensor<?x2x4x8xf32>, tensor<1x1x2x8xf32>, tensor<1x?xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x2x4x8xf32>
  return %kn, %row, %v : tensor<?x2x4x8xf32>, tensor<1xi32>, tensor<?x2x4x6xf32>
}

// A state that a function only reads is not stored.
// CHECK-LABEL: func.func @read() -> tensor<?x2x4x8xf32>
// CHECK:         %[[K:.+]] = "util.global.load"() {global = @kv.layer0.k}
// CHECK-NOT:     util.global.store
// CHECK:         return %[[K]]
func.func @read(%k: tensor<?x2x4x8xf32> {llm.state = "layer0.k"}) -> tensor<?x2x4x8xf32> {
  return %k : tensor<?x2x4x8xf32>
}

// CHECK-LABEL: func.func @stateless(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    return %[[X]]
func.func @stateless(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// Each pool has zeros of its own.
// CHECK-LABEL: func.func @allocate_kv(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: i32)
// CHECK:         %[[SIZE:.+]] = arith.index_cast %[[N]]
// CHECK:         %[[KSIZE:.+]] = "util.optimization_barrier"(%[[SIZE]])
// CHECK:         tensor.empty(%[[KSIZE]]) : tensor<?x2x4x8xf32>
// CHECK:         %[[ZEROS:.+]] = linalg.fill
// CHECK:         "util.global.store"(%[[ZEROS]]) {global = @kv.layer0.k}
// CHECK:         %[[VSIZE:.+]] = "util.optimization_barrier"(%[[SIZE]])
// CHECK:         tensor.empty(%[[VSIZE]]) : tensor<?x2x4x6xf32>
// CHECK:         "util.global.store"(%{{.+}}) {global = @kv.layer0.v}
}

// -----

func.func @first(%k: tensor<?x1x4x8xf32> {llm.state = "k"}) {
  return
}
func.func @second(%k: tensor<?x2x4x8xf32> {llm.state = "k"}) {
  return
}

// -----

func.func @made(%k: tensor<?x1x4x8xf32>) -> (tensor<?x1x4x8xf32> {llm.state = "k"}) {
  return %k : tensor<?x1x4x8xf32>
}

// -----

func.func @twice(%a: tensor<?x2xf32> {llm.state = "k"}, %b: tensor<?x2xf32> {llm.state = "k"}) {
  return
}

// -----

func.func @scalar(%a: f32 {llm.state = "k"}) {
  return
}

// -----

func.func @fixed(%a: tensor<4x2xf32> {llm.state = "k"}) {
  return
}

// -----

func.func @unnamed(%a: tensor<?x2xf32> {llm.state = 3}) {
  return
}

// -----

func.func @allocate_kv() {
  return
}
func.func @f(%a: tensor<?x2xf32> {llm.state = "k"}) {
  return
}

// -----

func.func @branches(%a: tensor<?x2xf32> {llm.state = "k"}) {
  cf.br ^next
^next:
  return
}
