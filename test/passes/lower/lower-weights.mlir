// RUN: not %octavo-opt --split-input-file --passes lower-weights %s 2>&1 | FileCheck %s

// Messages come before the modules that are printed.
// CHECK: weight 'w' is tensor<4xf32> in one place and tensor<4xbf16> at {{.+}}: expected one type for one name

// One global for each name, however often it is read.
// CHECK-COUNT-2: "util.global"()
// CHECK-NOT:     "util.global"()
// CHECK-LABEL: func.func @first(
// CHECK:         %[[W:.+]] = "util.global.load"() {global = @weight.model.norm.weight} : () -> tensor<4xf32>
// CHECK:         return %[[W]]
// CHECK-LABEL: func.func @second(
// CHECK:         "util.global.load"() {global = @weight.model.norm.weight}
// CHECK:         "util.global.load"() {global = @weight.lm_head.weight} : () -> tensor<4x2xbf16>
// CHECK-NOT:     llm.weight
func.func @first() -> tensor<4xf32> {
  %w = "llm.weight"() {key = "model.norm.weight"} : () -> tensor<4xf32>
  return %w : tensor<4xf32>
}
func.func @second() -> (tensor<4xf32>, tensor<4x2xbf16>) {
  %w = "llm.weight"() {key = "model.norm.weight"} : () -> tensor<4xf32>
  %h = "llm.weight"() {key = "lm_head.weight"} : () -> tensor<4x2xbf16>
  return %w, %h : tensor<4xf32>, tensor<4x2xbf16>
}

// -----

// CHECK:       "util.global"() {initial_value = #flow.parameter.named<"model"::"a \22b\22"> : tensor<4xf32>,
// CHECK-SAME:    sym_name = "weight.a \22b\22", sym_visibility = "private", type = tensor<4xf32>}
func.func @quoted() -> tensor<4xf32> {
  %w = "llm.weight"() {key = "a \22b\22"} : () -> tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

func.func @two_types() -> (tensor<4xf32>, tensor<4xbf16>) {
  %w = "llm.weight"() {key = "w"} : () -> tensor<4xf32>
  %v = "llm.weight"() {key = "w"} : () -> tensor<4xbf16>
  return %w, %v : tensor<4xf32>, tensor<4xbf16>
}
