// weir-import-infer-shapes: types become as static as operands make them.
//
// RUN: weir-opt %s -split-input-file --weir-import-infer-shapes | FileCheck %s

// What an operand says goes on from node to node, against the order of the
// text too.
// CHECK-LABEL: weir.graph @chain
weir.graph @chain(%x: tensor<?x64xf32>, %w: tensor<64x10xf32>) -> tensor<?xi64> {
  // CHECK: weir.argmax %{{.+}} : (tensor<?x10xf32>) -> tensor<?xi64>
  %class = weir.argmax %p {axis = 1 : i64, to = i64} : (tensor<?x?xf32>) -> tensor<?xi64>
  // CHECK: weir.softmax %{{.+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %p = weir.softmax %y : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: weir.matmul %{{.+}} : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
  %y = weir.matmul %x, %w : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x?xf32>
  weir.fetch %class : tensor<?xi64>
}

// -----

// The signature is the author's: a value that is fetched stays as declared.
// CHECK-LABEL: weir.graph @signature
// CHECK-SAME: -> tensor<?xf32>
weir.graph @signature(%x: tensor<4xf32>) -> tensor<?xf32> {
  // CHECK: weir.neg %{{.+}} : (tensor<4xf32>) -> tensor<?xf32>
  %y = weir.neg %x : (tensor<4xf32>) -> tensor<?xf32>
  // CHECK: weir.fetch %{{.+}} : tensor<?xf32>
  weir.fetch %y : tensor<?xf32>
}

// -----

// A gradient has the type of what it is taken with respect to; with a seed, the
// type of y is not touched.
// CHECK-LABEL: weir.graph @gradients
weir.graph @gradients(%x: tensor<4xf32>, %seed: tensor<?xf32>) {
  %y = weir.exp %x : (tensor<4xf32>) -> tensor<?xf32>
  // CHECK: %[[Z:.+]] = weir.exp %{{.+}} : (tensor<4xf32>) -> tensor<?xf32>
  %z = weir.exp %y : (tensor<?xf32>) -> tensor<?xf32>
  %u = weir.square %x : (tensor<4xf32>) -> tensor<?xf32>
  // CHECK: weir.gradients %[[Z]] wrt(%{{.+}}) seed(%{{.+}}) : (tensor<?xf32>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %g = weir.gradients %z wrt(%u) seed(%seed) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: weir.neg %{{.+}} : (tensor<4xf32>) -> tensor<4xf32>
  %n = weir.neg %g : (tensor<?xf32>) -> tensor<?xf32>
  weir.fetch
}

// -----

// Extents that only a run can tell stay open, and a node more static than its
// operands stays too: weir-import-verify rejects it.
// CHECK-LABEL: weir.graph @open
weir.graph @open(%x: tensor<?xf32>) {
  // CHECK: weir.neg %{{.+}} : (tensor<?xf32>) -> tensor<?xf32>
  %y = weir.neg %x : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: weir.exp %{{.+}} : (tensor<?xf32>) -> tensor<4xf32>
  %z = weir.exp %x : (tensor<?xf32>) -> tensor<4xf32>
  weir.fetch
}
