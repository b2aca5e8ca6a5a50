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

// -----

// Types go through conditionals; a merge has what both sides say.
// CHECK-LABEL: weir.graph @cond
// CHECK: weir.switch {{.*}} -> (tensor<2x?xf32>, tensor<2x?xf32>, !weir.control)
// CHECK: weir.merge {{.*}} -> (tensor<?x?xf32>, tensor<i32>, !weir.control)
// CHECK: weir.ensure_shape {{.*}} : (tensor<?x?xf32>) -> (tensor<?x3xf32>, !weir.control)
weir.graph @cond(%x: tensor<2x?xf32>, %y: tensor<3x?xf32>, %p: tensor<i1>) -> tensor<?x?xf32> {
  %f, %t, %c = weir.switch %x, %p : (tensor<2x?xf32>, tensor<i1>) -> (tensor<*xf32>, tensor<*xf32>, !weir.control)
  %m, %i, %d = weir.merge %f, %y : (tensor<*xf32>, tensor<3x?xf32>) -> (tensor<*xf32>, tensor<i32>, !weir.control)
  %e, %g = weir.ensure_shape %m : (tensor<*xf32>) -> (tensor<?x3xf32>, !weir.control)
  %z = weir.neg %e : (tensor<?x3xf32>) -> tensor<?x?xf32>
  weir.fetch %z : tensor<?x?xf32>
}

// -----

// The value of a loop keeps the type that it enters with, where each iteration
// gives that type again; one that grows does not.
// CHECK-LABEL: weir.graph @loop
// CHECK: weir.merge {{.*}} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>, !weir.control)
// CHECK: weir.merge {{.*}} : (tensor<1xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>, !weir.control)
// CHECK: weir.exit {{.*}} -> (tensor<2xf32>, !weir.control)
weir.graph @loop(%x: tensor<2xf32>, %l: tensor<1xf32>, %p: tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>) {
  %one = weir.constant dense<1.0> : tensor<1xf32>
  %i, %c0 = weir.enter %x {frame = "f"} : (tensor<2xf32>) -> (tensor<?xf32>, !weir.control)
  %j, %c1 = weir.enter %l {frame = "f"} : (tensor<1xf32>) -> (tensor<?xf32>, !weir.control)
  %q, %c2 = weir.enter %p {frame = "f", is_constant} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %m, %n0, %c3 = weir.merge %i, %next : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>, !weir.control)
  %g, %n1, %c4 = weir.merge %j, %grown : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>, !weir.control)
  %r, %c5 = weir.loop_cond %q : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %mf, %mt, %c6 = weir.switch %m, %r : (tensor<?xf32>, tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>, !weir.control)
  %gf, %gt, %c7 = weir.switch %g, %r : (tensor<?xf32>, tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>, !weir.control)
  %y = weir.neg %mt : (tensor<?xf32>) -> tensor<?xf32>
  %h = weir.concat %gt, %one {axis = 0 : i64} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %next, %c8 = weir.next_iteration %y : (tensor<?xf32>) -> (tensor<?xf32>, !weir.control)
  %grown, %c9 = weir.next_iteration %h : (tensor<?xf32>) -> (tensor<?xf32>, !weir.control)
  %out, %c10 = weir.exit %mf : (tensor<?xf32>) -> (tensor<?xf32>, !weir.control)
  %z = weir.neg %out : (tensor<?xf32>) -> tensor<?xf32>
  %last, %c11 = weir.exit %gf : (tensor<?xf32>) -> (tensor<?xf32>, !weir.control)
  weir.fetch %z, %last : tensor<?xf32>, tensor<?xf32>
}
