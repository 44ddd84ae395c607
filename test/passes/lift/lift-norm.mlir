// RUN: %octavo-opt --passes lift-norm %s | FileCheck %s

// As transformers writes it for Llama, in bf16: statistics in f32, the weight last.
// CHECK-LABEL: func.func @llama(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor<[?,?,64],bf16>, %[[W:[a-z0-9]+]]
// CHECK-DAG:     %[[XB:.+]] = torch_c.to_builtin_tensor %[[X]]
// CHECK-DAG:     %[[WB:.+]] = torch_c.to_builtin_tensor %[[W]]
// CHECK:         %[[Y:.+]] = "llm.rms_norm"(%[[XB]], %[[WB]]) {eps = {{.+}} : f64, weight_offset = 0.000000e+00 : f64} : (tensor<?x?x64xbf16>, tensor<64xbf16>) -> tensor<?x?x64xbf16>
// CHECK:         %[[T:.+]] = torch_c.from_builtin_tensor %[[Y]]
// CHECK:         return %[[T]]
func.func @llama(%x: !torch.vtensor<[?,?,64],bf16>, %w: !torch.vtensor<[64],bf16>) -> !torch.vtensor<[?,?,64],bf16> {
  %f32 = torch.constant.int 6
  %bf16 = torch.constant.int 15
  %false = torch.constant.bool false
  %true = torch.constant.bool true
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %last = torch.constant.int -1
  %eps = torch.constant.float 1.000000e-06
  %wide = torch.aten.to.dtype %x, %f32, %false, %false, %none : !torch.vtensor<[?,?,64],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,?,64],f32>
  %square = torch.aten.pow.Tensor_Scalar %wide, %int2 : !torch.vtensor<[?,?,64],f32>, !torch.int -> !torch.vtensor<[?,?,64],f32>
  %axes = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %mean = torch.aten.mean.dim %square, %axes, %true, %none : !torch.vtensor<[?,?,64],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,?,1],f32>
  %shifted = torch.aten.add.Scalar %mean, %eps, %int1 : !torch.vtensor<[?,?,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[?,?,1],f32>
  %scale = torch.aten.rsqrt %shifted : !torch.vtensor<[?,?,1],f32> -> !torch.vtensor<[?,?,1],f32>
  %normal = torch.aten.mul.Tensor %wide, %scale : !torch.vtensor<[?,?,64],f32>, !torch.vtensor<[?,?,1],f32> -> !torch.vtensor<[?,?,64],f32>
  %narrow = torch.aten.to.dtype %normal, %bf16, %false, %false, %none : !torch.vtensor<[?,?,64],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,?,64],bf16>
  %y = torch.aten.mul.Tensor %w, %narrow : !torch.vtensor<[64],bf16>, !torch.vtensor<[?,?,64],bf16> -> !torch.vtensor<[?,?,64],bf16>
  return %y : !torch.vtensor<[?,?,64],bf16>
}

// Gemma adds 1 to the weight and leaves the result in f32; a product with itself squares as well.
// CHECK-LABEL: func.func @gemma(
// CHECK:         %[[Y:.+]] = "llm.rms_norm"({{.+}}) {eps = {{.+}}, weight_offset = 1.000000e+00 : f64} : (tensor<?x64xbf16>, tensor<64xbf16>) -> tensor<?x64xbf16>
// CHECK:         %[[WIDE:.+]] = arith.extf %[[Y]] : tensor<?x64xbf16> to tensor<?x64xf32>
// CHECK:         %[[T:.+]] = torch_c.from_builtin_tensor %[[WIDE]]
// CHECK:         return %[[T]]
func.func @gemma(%x: !torch.vtensor<[?,64],bf16>, %w: !torch.vtensor<[64],bf16>) -> !torch.vtensor<[?,64],f32> {
  %f32 = torch.constant.int 6
  %false = torch.constant.bool false
  %true = torch.constant.bool true
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %one = torch.constant.float 1.000000e+00
  %eps = torch.constant.float 1.000000e-06
  %wide = torch.aten.to.dtype %x, %f32, %false, %false, %none : !torch.vtensor<[?,64],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[?,64],f32>
  %square = torch.aten.mul.Tensor %wide, %wide : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  %axes = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
  %mean = torch.aten.mean.dim %square, %axes, %true, %none : !torch.vtensor<[?,64],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[?,1],f32>
  %shifted = torch.aten.add.Scalar %mean, %eps, %int1 : !torch.vtensor<[?,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[?,1],f32>
  %scale = torch.aten.rsqrt %shifted : !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,1],f32>
  %normal = torch.aten.mul.Tensor %wide, %scale : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,1],f32> -> !torch.vtensor<[?,64],f32>
  %w_wide = torch.aten.to.dtype %w, %f32, %false, %false, %none : !torch.vtensor<[64],bf16>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[64],f32>
  %w_plus = torch.aten.add.Scalar %w_wide, %one, %int1 : !torch.vtensor<[64],f32>, !torch.float, !torch.int -> !torch.vtensor<[64],f32>
  %y = torch.aten.mul.Tensor %normal, %w_plus : !torch.vtensor<[?,64],f32>, !torch.vtensor<[64],f32> -> !torch.vtensor<[?,64],f32>
  return %y : !torch.vtensor<[?,64],f32>
}

// The mean is over another axis: of the tokens, not of the features.
// CHECK-LABEL: func.func @another_axis(
// CHECK-NOT:     llm.rms_norm
// CHECK:         return
func.func @another_axis(%x: !torch.vtensor<[4,64],f32>, %w: !torch.vtensor<[64],f32>) -> !torch.vtensor<[4,64],f32> {
  %true = torch.constant.bool true
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %eps = torch.constant.float 1.000000e-06
  %square = torch.aten.pow.Tensor_Scalar %x, %int2 : !torch.vtensor<[4,64],f32>, !torch.int -> !torch.vtensor<[4,64],f32>
  %axes = torch.prim.ListConstruct %int0 : (!torch.int) -> !torch.list<int>
  %mean = torch.aten.mean.dim %square, %axes, %true, %none : !torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[1,64],f32>
  %shifted = torch.aten.add.Scalar %mean, %eps, %int1 : !torch.vtensor<[1,64],f32>, !torch.float, !torch.int -> !torch.vtensor<[1,64],f32>
  %scale = torch.aten.rsqrt %shifted : !torch.vtensor<[1,64],f32> -> !torch.vtensor<[1,64],f32>
  %normal = torch.aten.mul.Tensor %x, %scale : !torch.vtensor<[4,64],f32>, !torch.vtensor<[1,64],f32> -> !torch.vtensor<[4,64],f32>
  %y = torch.aten.mul.Tensor %w, %normal : !torch.vtensor<[64],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[4,64],f32>
  return %y : !torch.vtensor<[4,64],f32>
}

// Three near misses: eps counts twice (alpha = 2), the cube instead of the square, another tensor's square.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT:     llm.rms_norm
// CHECK:         return
func.func @near_misses(%x: !torch.vtensor<[4,64],f32>, %other: !torch.vtensor<[4,64],f32>, %w: !torch.vtensor<[64],f32>) -> (!torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>) {
  %true = torch.constant.bool true
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int3 = torch.constant.int 3
  %last = torch.constant.int -1
  %eps = torch.constant.float 1.000000e-06
  %axes = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>

  %square = torch.aten.pow.Tensor_Scalar %x, %int2 : !torch.vtensor<[4,64],f32>, !torch.int -> !torch.vtensor<[4,64],f32>
  %mean = torch.aten.mean.dim %square, %axes, %true, %none : !torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[4,1],f32>
  %shifted = torch.aten.add.Scalar %mean, %eps, %int2 : !torch.vtensor<[4,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[4,1],f32>
  %scale = torch.aten.rsqrt %shifted : !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,1],f32>
  %normal = torch.aten.mul.Tensor %x, %scale : !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,64],f32>
  %y = torch.aten.mul.Tensor %w, %normal : !torch.vtensor<[64],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[4,64],f32>

  %cube = torch.aten.pow.Tensor_Scalar %x, %int3 : !torch.vtensor<[4,64],f32>, !torch.int -> !torch.vtensor<[4,64],f32>
  %cube_mean = torch.aten.mean.dim %cube, %axes, %true, %none : !torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[4,1],f32>
  %cube_shifted = torch.aten.add.Scalar %cube_mean, %eps, %int1 : !torch.vtensor<[4,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[4,1],f32>
  %cube_scale = torch.aten.rsqrt %cube_shifted : !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,1],f32>
  %cube_normal = torch.aten.mul.Tensor %x, %cube_scale : !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,64],f32>
  %cube_y = torch.aten.mul.Tensor %w, %cube_normal : !torch.vtensor<[64],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[4,64],f32>

  %right_shifted = torch.aten.add.Scalar %mean, %eps, %int1 : !torch.vtensor<[4,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[4,1],f32>
  %right_scale = torch.aten.rsqrt %right_shifted : !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,1],f32>
  %other_normal = torch.aten.mul.Tensor %other, %right_scale : !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,64],f32>
  %other_y = torch.aten.mul.Tensor %w, %other_normal : !torch.vtensor<[64],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[4,64],f32>
  return %y, %cube_y, %other_y : !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>
}

// A weight for each token, and a norm that is cut to integers before the weight.
// CHECK-LABEL: func.func @weights_that_are_none(
// CHECK-NOT:     llm.rms_norm
// CHECK:         return
func.func @weights_that_are_none(%x: !torch.vtensor<[4,64],f32>, %w: !torch.vtensor<[64],f32>, %per_token: !torch.vtensor<[4,1],f32>) -> (!torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>) {
  %i32 = torch.constant.int 3
  %f32 = torch.constant.int 6
  %false = torch.constant.bool false
  %true = torch.constant.bool true
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %last = torch.constant.int -1
  %eps = torch.constant.float 1.000000e-06
  %axes = torch.prim.ListConstruct %last : (!torch.int) -> !torch.list<int>
  %square = torch.aten.pow.Tensor_Scalar %x, %int2 : !torch.vtensor<[4,64],f32>, !torch.int -> !torch.vtensor<[4,64],f32>
  %mean = torch.aten.mean.dim %square, %axes, %true, %none : !torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[4,1],f32>
  %shifted = torch.aten.add.Scalar %mean, %eps, %int1 : !torch.vtensor<[4,1],f32>, !torch.float, !torch.int -> !torch.vtensor<[4,1],f32>
  %scale = torch.aten.rsqrt %shifted : !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,1],f32>
  %normal = torch.aten.mul.Tensor %x, %scale : !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,1],f32> -> !torch.vtensor<[4,64],f32>
  %by_token = torch.aten.mul.Tensor %per_token, %normal : !torch.vtensor<[4,1],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[4,64],f32>
  %cut = torch.aten.to.dtype %normal, %i32, %false, %false, %none : !torch.vtensor<[4,64],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[4,64],si32>
  %back = torch.aten.to.dtype %cut, %f32, %false, %false, %none : !torch.vtensor<[4,64],si32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[4,64],f32>
  %from_cut = torch.aten.mul.Tensor %w, %back : !torch.vtensor<[64],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[4,64],f32>
  return %by_token, %from_cut : !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>
}

// CHECK-LABEL: func.func @whole_operations(
// CHECK:         "llm.rms_norm"
// CHECK-SAME:      weight_offset = 0.000000e+00
// CHECK:         "llm.layer_norm"({{%.+, %.+, %.+}})
// CHECK:         "llm.layer_norm"({{%[a-z0-9]+}})
func.func @whole_operations(%x: !torch.vtensor<[?,64],f32>, %w: !torch.vtensor<[64],f32>, %b: !torch.vtensor<[64],f32>) -> (!torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>) {
  %none = torch.constant.none
  %true = torch.constant.bool true
  %int64 = torch.constant.int 64
  %eps = torch.constant.float 1.000000e-05
  %shape = torch.prim.ListConstruct %int64 : (!torch.int) -> !torch.list<int>
  %rms = torch.aten.rms_norm %x, %shape, %w, %eps : !torch.vtensor<[?,64],f32>, !torch.list<int>, !torch.vtensor<[64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %layer = torch.aten.layer_norm %x, %shape, %w, %b, %eps, %true : !torch.vtensor<[?,64],f32>, !torch.list<int>, !torch.vtensor<[64],f32>, !torch.vtensor<[64],f32>, !torch.float, !torch.bool -> !torch.vtensor<[?,64],f32>
  %plain = torch.aten.layer_norm %x, %shape, %none, %none, %eps, %true : !torch.vtensor<[?,64],f32>, !torch.list<int>, !torch.none, !torch.none, !torch.float, !torch.bool -> !torch.vtensor<[?,64],f32>
  return %rms, %layer, %plain : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>
}

// Norms over two axes or without a weight have no operation here; torch's own eps is that of f32.
// CHECK-LABEL: func.func @whole_operations_of_other_kinds(
// CHECK:         torch.aten.layer_norm
// CHECK:         torch.aten.rms_norm
// CHECK-NOT:     torch.aten.rms_norm
// CHECK:         "llm.rms_norm"{{.+}} {eps = 1.192092{{.+}}E-7 : f64
// CHECK:         return
func.func @whole_operations_of_other_kinds(%x: !torch.vtensor<[4,64],f32>, %w: !torch.vtensor<[64],f32>) -> (!torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>) {
  %none = torch.constant.none
  %true = torch.constant.bool true
  %int4 = torch.constant.int 4
  %int64 = torch.constant.int 64
  %eps = torch.constant.float 1.000000e-05
  %two = torch.prim.ListConstruct %int4, %int64 : (!torch.int, !torch.int) -> !torch.list<int>
  %shape = torch.prim.ListConstruct %int64 : (!torch.int) -> !torch.list<int>
  %both = torch.aten.layer_norm %x, %two, %none, %none, %eps, %true : !torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.none, !torch.none, !torch.float, !torch.bool -> !torch.vtensor<[4,64],f32>
  %bare = torch.aten.rms_norm %x, %shape, %none, %eps : !torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.none, !torch.float -> !torch.vtensor<[4,64],f32>
  %own_eps = torch.aten.rms_norm %x, %shape, %w, %none : !torch.vtensor<[4,64],f32>, !torch.list<int>, !torch.vtensor<[64],f32>, !torch.none -> !torch.vtensor<[4,64],f32>
  return %both, %bare, %own_eps : !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>, !torch.vtensor<[4,64],f32>
}
