// RUN: weir-opt %s --pass-pipeline='builtin.module(weir.graph(weir-fuse-decompose-ops))' --split-input-file | FileCheck %s
// Compositions are replaced by what they compose, until none is left.

// A softmax becomes five nodes that carry the user's name and device.
// CHECK-LABEL: weir.graph @softmax
// CHECK-SAME:    %[[X:.+]]: tensor<?x10xf32>
// CHECK:         %[[MAX:.+]] = weir.reduce_max %[[X]] {axes = array<i64: 1>, keep_dims, weir.device = "/cpu:0", weir.name = "probabilities"}
// CHECK:         %[[SHIFTED:.+]] = weir.sub %[[X]], %[[MAX]] {weir.device = "/cpu:0", weir.name = "probabilities"}
// CHECK:         %[[POWERS:.+]] = weir.exp %[[SHIFTED]]
// CHECK:         %[[SUM:.+]] = weir.reduce_sum %[[POWERS]]
// CHECK:         %[[Y:.+]] = weir.div %[[POWERS]], %[[SUM]]
// CHECK:         weir.fetch %[[Y]]
weir.graph @softmax(%x: tensor<?x10xf32>) -> (tensor<?x10xf32>) {
  %y = weir.softmax %x {weir.name = "probabilities", weir.device = "/cpu:0"} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  weir.fetch %y : tensor<?x10xf32>
}

// -----

// A composition of compositions: no node with a decomposition remains.
// CHECK-LABEL: weir.graph @nested
// CHECK-NOT:     weir.sparse_softmax_cross_entropy
// CHECK-NOT:     weir.reduce_mean
// CHECK-NOT:     weir.one_hot
// CHECK-NOT:     weir.conv2d_backprop_input
// CHECK:         weir.take_along
// CHECK:         weir.conv2d
// CHECK:         weir.fetch
weir.graph @nested(%x: tensor<?x10xf32>, %y: tensor<?xi32>, %k: tensor<3x3x1x2xf32>, %d: tensor<?x8x8x2xf32>) -> (tensor<f32>, tensor<?x10xf32>, tensor<?x8x8x1xf32>) {
  %rows = weir.sparse_softmax_cross_entropy %x, %y : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
  %loss = weir.reduce_mean %rows {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %hot = weir.one_hot %y {depth = 10 : i64, to = f32} : (tensor<?xi32>) -> tensor<?x10xf32>
  %dx = weir.conv2d_backprop_input %k, %d {input_size = array<i64: 8, 8>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<3x3x1x2xf32>, tensor<?x8x8x2xf32>) -> tensor<?x8x8x1xf32>
  weir.fetch %loss, %hot, %dx : tensor<f32>, tensor<?x10xf32>, tensor<?x8x8x1xf32>
}

// -----

// What the composition waits for, its nodes wait for: through its operand.
// CHECK-LABEL: weir.graph @waits
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK:         %[[C:.+]] = weir.assign @v
// CHECK:         %[[LATE:.+]] = weir.identity %[[X]] after(%[[C]])
// CHECK:         weir.reduce_max %[[LATE]] {{{.*}}}
// CHECK-NOT:     after(%[[C]])
// CHECK:         weir.fetch
weir.variable @v : tensor<4xf32>
weir.graph @waits(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %c = weir.assign @v, %x : tensor<4xf32>
  %y = weir.softmax %x after(%c) : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %y : tensor<4xf32>
}
