// RUN: %octavo-opt --passes lift-linear %s | FileCheck %s

// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,?,64],f32>, %[[W:[a-z0-9]+]]: !torch.vtensor<[32,64],f32>, %[[B:[a-z0-9]+]]:
// CHECK-DAG:     %[[XB:.+]] = torch_c.to_builtin_tensor %[[X]]
// CHECK-DAG:     %[[WB:.+]] = torch_c.to_builtin_tensor %[[W]]
// CHECK-DAG:     %[[BB:.+]] = torch_c.to_builtin_tensor %[[B]]
// CHECK:         "llm.linear"(%[[XB]], %[[WB]], %[[BB]]) {{.+}} -> tensor<?x?x32xf32>
// CHECK:         "llm.linear"({{%[^,]+, %[^,]+}}) {{.+}} -> tensor<?x?x32xf32>
// CHECK-NOT:     torch.aten.linear
// CHECK:         return
func.func @linear(%x: !torch.vtensor<[?,?,64],f32>, %w: !torch.vtensor<[32,64],f32>, %b: !torch.vtensor<[32],f32>) -> (!torch.vtensor<[?,?,32],f32>, !torch.vtensor<[?,?,32],f32>) {
  %none = torch.constant.none
  %biased = torch.aten.linear %x, %w, %b : !torch.vtensor<[?,?,64],f32>, !torch.vtensor<[32,64],f32>, !torch.vtensor<[32],f32> -> !torch.vtensor<[?,?,32],f32>
  %bare = torch.aten.linear %x, %w, %none : !torch.vtensor<[?,?,64],f32>, !torch.vtensor<[32,64],f32>, !torch.none -> !torch.vtensor<[?,?,32],f32>
  return %biased, %bare : !torch.vtensor<[?,?,32],f32>, !torch.vtensor<[?,?,32],f32>
}

// GPT-2's Conv1D: the rows merged for a product with a weight that stands the other way round.
// CHECK-LABEL: func.func @conv1d(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,?,64],f32>, %[[W:[a-z0-9]+]]:
// CHECK:         %[[WB:.+]] = torch_c.to_builtin_tensor %[[W]]
// CHECK:         %[[WT:.+]] = linalg.transpose ins(%[[WB]] : tensor<64x32xf32>) {{.+}} permutation = [1, 0]
// CHECK:         %[[XB:.+]] = torch_c.to_builtin_tensor %[[X]]
// CHECK:         %[[Y:.+]] = "llm.linear"(%[[XB]], %[[WT]], {{.+}} -> tensor<?x?x32xf32>
// CHECK:         %[[T:.+]] = torch_c.from_builtin_tensor %[[Y]]
// CHECK:         return %[[T]]
func.func @conv1d(%x: !torch.vtensor<[?,?,64],f32>, %w: !torch.vtensor<[64,32],f32>, %b: !torch.vtensor<[32],f32>) -> !torch.vtensor<[?,?,32],f32> {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int32 = torch.constant.int 32
  %int64 = torch.constant.int 64
  %rest = torch.constant.int -1
  %batch = torch.aten.size.int %x, %int0 : !torch.vtensor<[?,?,64],f32>, !torch.int -> !torch.int
  %tokens = torch.aten.size.int %x, %int1 : !torch.vtensor<[?,?,64],f32>, !torch.int -> !torch.int
  %rows = torch.prim.ListConstruct %rest, %int64 : (!torch.int, !torch.int) -> !torch.list<int>
  %flat = torch.aten.view %x, %rows : !torch.vtensor<[?,?,64],f32>, !torch.list<int> -> !torch.vtensor<[?,64],f32>
  %product = torch.aten.addmm %b, %flat, %w, %int1, %int1 : !torch.vtensor<[32],f32>, !torch.vtensor<[?,64],f32>, !torch.vtensor<[64,32],f32>, !torch.int, !torch.int -> !torch.vtensor<[?,32],f32>
  %sizes = torch.prim.ListConstruct %batch, %tokens, %int32 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.view %product, %sizes : !torch.vtensor<[?,32],f32>, !torch.list<int> -> !torch.vtensor<[?,?,32],f32>
  return %y : !torch.vtensor<[?,?,32],f32>
}

// The second view exchanges the rows' sizes; the bias counts twice.
// CHECK-LABEL: func.func @conv1d_near_misses(
// CHECK-NOT:     llm.linear
// CHECK:         return
func.func @conv1d_near_misses(%x: !torch.vtensor<[?,?,64],f32>, %w: !torch.vtensor<[64,32],f32>, %b: !torch.vtensor<[32],f32>) -> (!torch.vtensor<[?,?,32],f32>, !torch.vtensor<[?,?,32],f32>) {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int32 = torch.constant.int 32
  %int64 = torch.constant.int 64
  %rest = torch.constant.int -1
  %batch = torch.aten.size.int %x, %int0 : !torch.vtensor<[?,?,64],f32>, !torch.int -> !torch.int
  %tokens = torch.aten.size.int %x, %int1 : !torch.vtensor<[?,?,64],f32>, !torch.int -> !torch.int
  %rows = torch.prim.ListConstruct %rest, %int64 : (!torch.int, !torch.int) -> !torch.list<int>
  %flat = torch.aten.view %x, %rows : !torch.vtensor<[?,?,64],f32>, !torch.list<int> -> !torch.vtensor<[?,64],f32>
  %product = torch.aten.addmm %b, %flat, %w, %int1, %int1 : !torch.vtensor<[32],f32>, !torch.vtensor<[?,64],f32>, !torch.vtensor<[64,32],f32>, !torch.int, !torch.int -> !torch.vtensor<[?,32],f32>
  %exchanged_sizes = torch.prim.ListConstruct %tokens, %batch, %int32 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %exchanged = torch.aten.view %product, %exchanged_sizes : !torch.vtensor<[?,32],f32>, !torch.list<int> -> !torch.vtensor<[?,?,32],f32>
  %weighted = torch.aten.addmm %b, %flat, %w, %int2, %int1 : !torch.vtensor<[32],f32>, !torch.vtensor<[?,64],f32>, !torch.vtensor<[64,32],f32>, !torch.int, !torch.int -> !torch.vtensor<[?,32],f32>
  %sizes = torch.prim.ListConstruct %batch, %tokens, %int32 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %doubled = torch.aten.view %weighted, %sizes : !torch.vtensor<[?,32],f32>, !torch.list<int> -> !torch.vtensor<[?,?,32],f32>
  return %exchanged, %doubled : !torch.vtensor<[?,?,32],f32>, !torch.vtensor<[?,?,32],f32>
}

// CHECK-LABEL: func.func @embedding(
// CHECK-SAME:    %[[E:[a-z0-9]+]]: !torch.vtensor<[97,64],f32>, %[[I32:[a-z0-9]+]]: {{.+}}si32>, %[[I64:[a-z0-9]+]]: {{.+}}si64>
// CHECK:         %[[IDS:.+]] = torch_c.to_builtin_tensor %[[I32]]
// CHECK:         "llm.embedding"(%{{.+}}, %[[IDS]])
// CHECK:         %[[LONG:.+]] = torch_c.to_builtin_tensor %[[I64]]
// CHECK:         %[[CUT:.+]] = arith.trunci %[[LONG]]
// CHECK:         "llm.embedding"(%{{.+}}, %[[CUT]])
func.func @embedding(%table: !torch.vtensor<[97,64],f32>, %tokens: !torch.vtensor<[?,?],si32>, %long: !torch.vtensor<[?,?],si64>) -> (!torch.vtensor<[?,?,64],f32>, !torch.vtensor<[?,?,64],f32>) {
  %no_padding = torch.constant.int -1
  %false = torch.constant.bool false
  %short = torch.aten.embedding %table, %tokens, %no_padding, %false, %false : !torch.vtensor<[97,64],f32>, !torch.vtensor<[?,?],si32>, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,?,64],f32>
  %wide = torch.aten.embedding %table, %long, %no_padding, %false, %false : !torch.vtensor<[97,64],f32>, !torch.vtensor<[?,?],si64>, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,?,64],f32>
  return %short, %wide : !torch.vtensor<[?,?,64],f32>, !torch.vtensor<[?,?,64],f32>
}
