// Modules that no front end makes: declarations, blocks, scalars and states where passes look for others.
func.func @main() {
  return
}
// -----
func.func private @main(tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xf32>
func.func private @step(tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
// -----
func.func @main(%a: i32, %b: tensor<*xf32>) -> i32 {
  return %a : i32
}
// -----
func.func @step(%a: tensor<*xf32>, %b: index, %c: i1, %d: tensor<f32>) -> i1 {
  return %c : i1
}
// -----
func.func @step(%a: tensor<?x?xi32>, %b: tensor<?xi32>, %c: tensor<?xi32>, %d: tensor<?x?xi32>) -> i1 {
  %t = arith.constant true
  cf.br ^next
^next:
  return %t : i1
}
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3x4xf32> {
  %t = arith.constant dense<0.0> : tensor<2x3x4xf32>
  cf.br ^next
^next:
  return %t : tensor<2x3x4xf32>
}
// -----
module {
  func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) -> tensor<2x3x4xf32> {
    %t = arith.constant dense<0.0> : tensor<2x3x4xf32>
    return %t : tensor<2x3x4xf32>
  }
}
// -----
func.func @f(%a: f32 {llm.state = "k"}) -> (f32 {llm.state = "k"}) {
  return %a : f32
}
// -----
func.func @f(%a: tensor<*xf32> {llm.state = "k"}) -> (tensor<*xf32> {llm.state = "k"}) {
  return %a : tensor<*xf32>
}
// -----
func.func @step(%a: tensor<?x?xi32>, %b: tensor<?xi32>, %c: tensor<?xi32>, %d: tensor<?x?xi32>, %x: index) -> tensor<?x?xi32> {
  %r = scf.for %i = %x to %x step %x iter_args(%q = %a) -> tensor<?x?xi32> {
    scf.yield %q : tensor<?x?xi32>
  }
  return %r : tensor<?x?xi32>
}
