// RUN: %octavo-opt --passes lift-activation %s | FileCheck %s

// CHECK-LABEL: func.func @simple(
// CHECK:         "llm.activation"(%{{.+}}) {kind = "silu"}
// CHECK:         "llm.activation"(%{{.+}}) {kind = "gelu"}
// CHECK:         "llm.activation"(%{{.+}}) {kind = "gelu_tanh"}
// CHECK:         "llm.activation"(%{{.+}}) {kind = "tanh"}
// CHECK-NOT:     torch.aten
// CHECK:         return
func.func @simple(%x: !torch.vtensor<[?,64],f32>) -> !torch.vtensor<[?,64],f32> {
  %erf = torch.constant.str "none"
  %approximate = torch.constant.str "tanh"
  %0 = torch.aten.silu %x : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  %1 = torch.aten.gelu %0, %erf : !torch.vtensor<[?,64],f32>, !torch.str -> !torch.vtensor<[?,64],f32>
  %2 = torch.aten.gelu %1, %approximate : !torch.vtensor<[?,64],f32>, !torch.str -> !torch.vtensor<[?,64],f32>
  %3 = torch.aten.tanh %2 : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  return %3 : !torch.vtensor<[?,64],f32>
}

// CHECK-LABEL: func.func @another_function(
// CHECK:         torch.aten.erf
// CHECK-NOT:     llm.activation
// CHECK:         return
func.func @another_function(%x: !torch.vtensor<[?,64],f32>) -> !torch.vtensor<[?,64],f32> {
  %y = torch.aten.erf %x : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  return %y : !torch.vtensor<[?,64],f32>
}

// As GPT-2's NewGELU writes it.
// CHECK-LABEL: func.func @written_out_gelu(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor
// CHECK:         %[[XB:.+]] = torch_c.to_builtin_tensor %[[X]]
// CHECK:         %[[Y:.+]] = "llm.activation"(%[[XB]]) {kind = "gelu_tanh"}
// CHECK:         %[[T:.+]] = torch_c.from_builtin_tensor %[[Y]]
// CHECK:         return %[[T]]
func.func @written_out_gelu(%x: !torch.vtensor<[?,64],f32>) -> !torch.vtensor<[?,64],f32> {
  %int1 = torch.constant.int 1
  %half = torch.constant.float 5.000000e-01
  %three = torch.constant.float 3.000000e+00
  %coefficient = torch.constant.float 4.471500e-02
  %root = torch.constant.float 0.79788456080286541
  %one = torch.constant.float 1.000000e+00
  %halved = torch.aten.mul.Scalar %x, %half : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %cube = torch.aten.pow.Tensor_Scalar %x, %three : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %term = torch.aten.mul.Scalar %cube, %coefficient : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %sum = torch.aten.add.Tensor %x, %term, %int1 : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>, !torch.int -> !torch.vtensor<[?,64],f32>
  %scaled = torch.aten.mul.Scalar %sum, %root : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %curve = torch.aten.tanh %scaled : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  %shifted = torch.aten.add.Scalar %curve, %one, %int1 : !torch.vtensor<[?,64],f32>, !torch.float, !torch.int -> !torch.vtensor<[?,64],f32>
  %y = torch.aten.mul.Tensor %halved, %shifted : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  return %y : !torch.vtensor<[?,64],f32>
}

// The coefficient of the cube is another, so this is not gelu; its tanh lifts by itself.
// CHECK-LABEL: func.func @almost_gelu(
// CHECK-NOT:     gelu_tanh
// CHECK:         "llm.activation"(%{{.+}}) {kind = "tanh"}
// CHECK:         torch.aten.mul.Tensor
// CHECK:         return
func.func @almost_gelu(%x: !torch.vtensor<[?,64],f32>) -> !torch.vtensor<[?,64],f32> {
  %int1 = torch.constant.int 1
  %half = torch.constant.float 5.000000e-01
  %three = torch.constant.float 3.000000e+00
  %coefficient = torch.constant.float 4.500000e-02
  %root = torch.constant.float 0.79788456080286541
  %one = torch.constant.float 1.000000e+00
  %halved = torch.aten.mul.Scalar %x, %half : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %cube = torch.aten.pow.Tensor_Scalar %x, %three : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %term = torch.aten.mul.Scalar %cube, %coefficient : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %sum = torch.aten.add.Tensor %x, %term, %int1 : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32>, !torch.int -> !torch.vtensor<[?,64],f32>
  %scaled = torch.aten.mul.Scalar %sum, %root : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %curve = torch.aten.tanh %scaled : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  %shifted = torch.aten.add.Scalar %curve, %one, %int1 : !torch.vtensor<[?,64],f32>, !torch.float, !torch.int -> !torch.vtensor<[?,64],f32>
  %y = torch.aten.mul.Tensor %halved, %shifted : !torch.vtensor<[?,64],f32>, !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  return %y : !torch.vtensor<[?,64],f32>
}

// CHECK-LABEL: func.func @softcap(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: !torch.vtensor
// CHECK:         %[[XB:.+]] = torch_c.to_builtin_tensor %[[X]]
// CHECK:         %[[Y:.+]] = "llm.softcap"(%[[XB]]) {cap = 3.000000e+01 : f64}
// CHECK:         %[[T:.+]] = torch_c.from_builtin_tensor %[[Y]]
// CHECK:         return %[[T]]
func.func @softcap(%x: !torch.vtensor<[?,64],f32>) -> !torch.vtensor<[?,64],f32> {
  %cap = torch.constant.float 3.000000e+01
  %divided = torch.aten.div.Scalar %x, %cap : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %curve = torch.aten.tanh %divided : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  %y = torch.aten.mul.Scalar %curve, %cap : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  return %y : !torch.vtensor<[?,64],f32>
}

// Divided by one number and multiplied by another.
// CHECK-LABEL: func.func @two_caps(
// CHECK-NOT:     llm.softcap
// CHECK:         torch.aten.mul.Scalar
// CHECK:         return
func.func @two_caps(%x: !torch.vtensor<[?,64],f32>) -> !torch.vtensor<[?,64],f32> {
  %cap = torch.constant.float 3.000000e+01
  %other = torch.constant.float 3.100000e+01
  %divided = torch.aten.div.Scalar %x, %cap : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  %curve = torch.aten.tanh %divided : !torch.vtensor<[?,64],f32> -> !torch.vtensor<[?,64],f32>
  %y = torch.aten.mul.Scalar %curve, %other : !torch.vtensor<[?,64],f32>, !torch.float -> !torch.vtensor<[?,64],f32>
  return %y : !torch.vtensor<[?,64],f32>
}
