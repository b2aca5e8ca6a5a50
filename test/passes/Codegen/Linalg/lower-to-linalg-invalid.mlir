// RUN: weir-opt %s --weir-codegen-lower-to-linalg --split-input-file --verify-diagnostics
// What cannot be lowered is named, with what to do.

// A composition that was not taken apart.
func.func @composition(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{[WEIR0120] no CPU lowering for 'weir.softmax' (node 'probabilities'): run weir-fuse-decompose-ops before}}
  %y = weir.softmax %x {weir.name = "probabilities"} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A node with effects that was not scheduled. Each node is named, not only the first.
weir.variable @v : tensor<4xf32>
func.func @effects() -> tensor<4xf32> {
  // expected-error @+1 {{[WEIR0120] no CPU lowering for 'weir.read': nodes with effects are lowered by weir-schedule-order-program}}
  %v, %c = weir.read @v : tensor<4xf32>
  // expected-error @+1 {{[WEIR0120] no CPU lowering for 'weir.assign'}}
  %d = weir.assign @v, %v after(%c) : tensor<4xf32>
  return %v : tensor<4xf32>
}
