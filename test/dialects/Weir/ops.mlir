// Round trip: every op of the dialect prints what it parses, in its own text
// form and in the generic one.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

//===----------------------------------------------------------------------===//
// Symbols, structure
//===----------------------------------------------------------------------===//

// CHECK: weir.variable @w : tensor<2x3xf32>
weir.variable @w : tensor<2x3xf32>
// A variable may be private and say where it lives.
// CHECK: weir.variable @step : tensor<i64> {sym_visibility = "private", weir.device = "/device:CPU:0"}
weir.variable @step : tensor<i64> {sym_visibility = "private", weir.device = "/device:CPU:0"}

// CHECK: weir.queue @bounded capacity 100 of tensor<64xf32>, tensor<i32>
weir.queue @bounded capacity 100 of tensor<64xf32>, tensor<i32>
// CHECK: weir.queue @unbounded capacity -1 of tensor<!weir.string>
weir.queue @unbounded capacity -1 of tensor<!weir.string>

// Feeds and fetches have names and devices; a graph may be private.
// CHECK-LABEL: weir.graph private @signature
// CHECK-SAME: (%[[X:.+]]: tensor<?xf32> {weir.device = "/device:CPU:0", weir.name = "x"}, %[[Y:.+]]: tensor<!weir.string>) -> (tensor<?xf32> {weir.name = "y"}, tensor<!weir.string>)
weir.graph private @signature(%x: tensor<?xf32> {weir.name = "x", weir.device = "/device:CPU:0"}, %s: tensor<!weir.string>)
    -> (tensor<?xf32> {weir.name = "y"}, tensor<!weir.string>) {
  // CHECK-NEXT: weir.fetch %[[X]], %[[Y]] : tensor<?xf32>, tensor<!weir.string>
  weir.fetch %x, %s : tensor<?xf32>, tensor<!weir.string>
}

// A graph may have neither feeds nor fetches, only nodes it runs for.
// CHECK-LABEL: weir.graph @targets()
weir.graph @targets() {
  // CHECK: %[[A:.+]] = weir.no_op{{$}}
  %a = weir.no_op
  // CHECK: %[[B:.+]] = weir.no_op after(%[[A]], %[[A]]) {weir.colocate = "g", weir.device = "/device:CPU:0", weir.name = "join"}
  %b = weir.no_op after(%a, %a) {weir.name = "join", weir.colocate = "g", weir.device = "/device:CPU:0"}
  // CHECK: weir.fetch after(%[[B]])
  weir.fetch after(%b)
}

// Nodes have no order but that of edges: a use may stand before its definition.
// CHECK-LABEL: weir.graph @unordered
weir.graph @unordered(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[Z:.+]] = weir.neg %[[Y:.+]] after(%[[C:.+]]) : (tensor<f32>) -> tensor<f32>
  %z = weir.neg %y after(%c) : (tensor<f32>) -> tensor<f32>
  // CHECK: %[[C]] = weir.completed %[[Y]] : tensor<f32>
  %c = weir.completed %y : tensor<f32>
  // CHECK: %[[D:.+]] = weir.completed %[[Y]] after(%[[C]]) : tensor<f32>
  %d = weir.completed %y after(%c) : tensor<f32>
  // CHECK: %[[Y]] = weir.identity
  %y = weir.identity %x : (tensor<f32>) -> tensor<f32>
  // CHECK: weir.fetch %[[Z]] after(%[[D]]) : tensor<f32>
  weir.fetch %z after(%d) : tensor<f32>
}

// CHECK-LABEL: weir.graph @constants
weir.graph @constants() -> tensor<2x2xi8> {
  // CHECK: weir.constant dense<{{\[}}[1, 2], [3, 4]]> : tensor<2x2xi8>
  %a = weir.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  // CHECK: weir.constant dense<true> : tensor<4xi1>
  %b = weir.constant dense<true> : tensor<4xi1>
  // CHECK: weir.constant dense<0x7FC0> : tensor<bf16>
  %c = weir.constant dense<0x7FC0> : tensor<bf16>
  // CHECK: weir.constant dense<18446744073709551615> : tensor<ui64>
  %d = weir.constant dense<18446744073709551615> : tensor<ui64>
  // CHECK: weir.constant dense<["a\00b", ""]> : tensor<2x!weir.string>
  %e = weir.constant dense<["a\00b", ""]> : tensor<2x!weir.string>
  // CHECK: weir.constant dense<> : tensor<0x3xf64>
  %f = weir.constant dense<> : tensor<0x3xf64>
  // CHECK: weir.constant {weir.name = "k"} dense<1.000000e+00> : tensor<f16>
  %g = weir.constant {weir.name = "k"} dense<1.0> : tensor<f16>
  weir.fetch %a : tensor<2x2xi8>
}

// CHECK-LABEL: weir.graph @gradients
weir.graph @gradients(%x: tensor<4xf32>, %seed: tensor<f32>) {
  %y = weir.reduce_sum %x {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  // CHECK: %[[C:.+]] = weir.no_op
  %c = weir.no_op
  // CHECK: weir.gradients %{{.+}} wrt(%{{.+}}) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %a = weir.gradients %y wrt(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: weir.gradients %{{.+}} wrt(%{{.+}}, %{{.+}}) seed(%{{.+}}) after(%[[C]]) {weir.name = "g"} : (tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  %b:2 = weir.gradients %y wrt(%x, %y) seed(%seed) after(%c) {weir.name = "g"}
    : (tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  // CHECK: weir.stop_gradient %{{.+}} after(%[[C]]) : (tensor<4xf32>) -> tensor<4xf32>
  %s = weir.stop_gradient %x after(%c) : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// CHECK-LABEL: weir.graph @group
weir.graph @group(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Y:.+]] = weir.group "neg_exp" -> tensor<4xf32> {
  %y = weir.group "neg_exp" -> tensor<4xf32> {
    // CHECK: weir.neg
    %a = weir.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: %[[B:.+]] = weir.exp
    %b = weir.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    // CHECK: weir.yield %[[B]] : tensor<4xf32>
    weir.yield %b : tensor<4xf32>
  // CHECK-NEXT: } {weir.device = "/device:CPU:0"}
  } {weir.device = "/device:CPU:0"}
  weir.fetch %y : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

// CHECK-LABEL: weir.graph @state
weir.graph @state(%v: tensor<2x3xf32>, %p: tensor<!weir.string>, %d: tensor<?x3xf32>) {
  // CHECK: %[[R:.+]], %[[C:.+]] = weir.read @w : tensor<2x3xf32>
  %r, %c = weir.read @w : tensor<2x3xf32>
  // CHECK: weir.read @w after(%[[C]]) {weir.name = "again"} : tensor<2x3xf32>
  %r2, %c2 = weir.read @w after(%c) {weir.name = "again"} : tensor<2x3xf32>
  // CHECK: weir.assign @w, %{{.+}} : tensor<2x3xf32>
  %c3 = weir.assign @w, %v : tensor<2x3xf32>
  // A value of an extent that is not known is checked when the node runs.
  // CHECK: weir.assign @w, %{{.+}} after(%[[C]]) : tensor<?x3xf32>
  %c4 = weir.assign @w, %d after(%c) : tensor<?x3xf32>
  // CHECK: weir.assign_add @w, %{{.+}} after(%[[C]]) {weir.colocate = "w"} : tensor<2x3xf32>
  %c5 = weir.assign_add @w, %v after(%c) {weir.colocate = "w"} : tensor<2x3xf32>
  // CHECK: weir.assign_sub @w, %{{.+}} after(%[[C]], %{{.+}}) : tensor<2x3xf32>
  %c6 = weir.assign_sub @w, %v after(%c, %c3) : tensor<2x3xf32>
  // CHECK: weir.is_initialized @w after(%[[C]]) : tensor<i1>
  %i, %c7 = weir.is_initialized @w after(%c) : tensor<i1>
  // CHECK: weir.save %{{.+}}, %{{.+}}, %{{.+}} names ["w", "v"] after(%[[C]]) {weir.name = "keep"} : tensor<!weir.string>, tensor<2x3xf32>, tensor<2x3xf32>
  %c8 = weir.save %p, %r, %v names ["w", "v"] after(%c) {weir.name = "keep"}
    : tensor<!weir.string>, tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: weir.save %{{.+}} names [] : tensor<!weir.string>
  %c9 = weir.save %p names [] : tensor<!weir.string>
  // CHECK: weir.restore %{{.+}} names ["w", "step"] after(%[[C]]) : tensor<!weir.string> -> tensor<2x3xf32>, tensor<i64>
  %a, %b, %c10 = weir.restore %p names ["w", "step"] after(%c) : tensor<!weir.string> -> tensor<2x3xf32>, tensor<i64>
  // CHECK: weir.check_numerics %{{.+}} "the loss diverged" after(%[[C]]) : tensor<2x3xf32>
  %n, %c11 = weir.check_numerics %v "the loss diverged" after(%c) : tensor<2x3xf32>
  weir.fetch after(%c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11)
}

//===----------------------------------------------------------------------===//
// Element-wise
//===----------------------------------------------------------------------===//

// CHECK-LABEL: weir.graph @unary
weir.graph @unary(%x: tensor<?x4xf32>, %b: tensor<4xi1>, %i: tensor<ui8>) {
  // CHECK: %[[C:.+]] = weir.no_op
  %c = weir.no_op
  // CHECK: weir.neg %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %neg = weir.neg %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.abs %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %abs = weir.abs %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.sign %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %sign = weir.sign %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.square %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %square = weir.square %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.reciprocal %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %reciprocal = weir.reciprocal %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.exp %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %exp = weir.exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.expm1 %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %expm1 = weir.expm1 %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.log %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %log = weir.log %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.log1p %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %log1p = weir.log1p %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.sqrt %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %sqrt = weir.sqrt %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.rsqrt %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %rsqrt = weir.rsqrt %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.sin %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %sin = weir.sin %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.cos %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %cos = weir.cos %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.tanh %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %tanh = weir.tanh %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.erf %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %erf = weir.erf %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.sigmoid %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %sigmoid = weir.sigmoid %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.relu %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %relu = weir.relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.floor %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %floor = weir.floor %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.ceil %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %ceil = weir.ceil %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.round %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %round = weir.round %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // Control operands and attributes stand on any node.
  // CHECK: weir.exp %{{.+}} after(%[[C]], %[[C]]) {weir.colocate = "g", weir.device = "/device:CPU:0", weir.name = "e"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = weir.exp %x after(%c, %c) {weir.name = "e", weir.device = "/device:CPU:0", weir.colocate = "g"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.is_finite %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xi1>
  %f = weir.is_finite %x : (tensor<?x4xf32>) -> tensor<?x4xi1>
  // CHECK: weir.logical_not %{{.+}} : (tensor<4xi1>) -> tensor<4xi1>
  %n = weir.logical_not %b : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK: weir.square %{{.+}} : (tensor<ui8>) -> tensor<ui8>
  %s = weir.square %i : (tensor<ui8>) -> tensor<ui8>
  // A convention that was left out is written.
  // CHECK: weir.cast %{{.+}} {out_of_range = #weir.out_of_range<saturate>, to = i32} : (tensor<?x4xf32>) -> tensor<?x4xi32>
  %k = weir.cast %x {to = i32} : (tensor<?x4xf32>) -> tensor<?x4xi32>
  // CHECK: weir.cast %{{.+}} {out_of_range = #weir.out_of_range<minimum>, to = i8} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  %m = weir.cast %x {to = i8, out_of_range = #weir.out_of_range<minimum>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// CHECK-LABEL: weir.graph @binary
weir.graph @binary(%x: tensor<?x4xf32>, %y: tensor<4xf32>, %p: tensor<2x1xi1>, %q: tensor<3xi1>) {
  // CHECK: %[[C:.+]] = weir.no_op
  %c = weir.no_op
  // CHECK: weir.add %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %add = weir.add %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.sub %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %sub = weir.sub %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.mul %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %mul = weir.mul %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.div %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %div = weir.div %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.pow %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %pow = weir.pow %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.maximum %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %maximum = weir.maximum %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.minimum %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %minimum = weir.minimum %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.logical_and %{{.+}}, %{{.+}} after(%[[C]]) : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %logical_and = weir.logical_and %p, %q after(%c) : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  // CHECK: weir.logical_or %{{.+}}, %{{.+}} after(%[[C]]) : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %logical_or = weir.logical_or %p, %q after(%c) : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  // CHECK: weir.logical_xor %{{.+}}, %{{.+}} after(%[[C]]) : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  %logical_xor = weir.logical_xor %p, %q after(%c) : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  // CHECK: weir.compare %{{.+}}, %{{.+}} {predicate = #weir.compare<eq>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  %eq = weir.compare %x, %y {predicate = #weir.compare<eq>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  // CHECK: weir.compare %{{.+}}, %{{.+}} {predicate = #weir.compare<ne>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  %ne = weir.compare %x, %y {predicate = #weir.compare<ne>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  // CHECK: weir.compare %{{.+}}, %{{.+}} {predicate = #weir.compare<lt>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  %lt = weir.compare %x, %y {predicate = #weir.compare<lt>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  // CHECK: weir.compare %{{.+}}, %{{.+}} {predicate = #weir.compare<le>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  %le = weir.compare %x, %y {predicate = #weir.compare<le>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  // CHECK: weir.compare %{{.+}}, %{{.+}} {predicate = #weir.compare<gt>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  %gt = weir.compare %x, %y {predicate = #weir.compare<gt>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  // CHECK: weir.compare %{{.+}}, %{{.+}} {predicate = #weir.compare<ge>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  %ge = weir.compare %x, %y {predicate = #weir.compare<ge>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xi1>
  // CHECK: weir.select %{{.+}}, %{{.+}}, %{{.+}} after(%[[C]]) : (tensor<2x1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %s = weir.select %p, %y, %y after(%c) : (tensor<2x1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  weir.fetch
}

//===----------------------------------------------------------------------===//
// Linear algebra, neural networks
//===----------------------------------------------------------------------===//

// CHECK-LABEL: weir.graph @products
weir.graph @products(%a: tensor<?x3xf32>, %b: tensor<3x4xf32>, %t: tensor<7x1x3x2xi32>, %u: tensor<5x4x3xi32>) {
  %c = weir.no_op
  // CHECK: weir.matmul %{{.+}}, %{{.+}} : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  %x = weir.matmul %a, %b : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.matmul %{{.+}}, %{{.+}} after(%{{.+}}) {transpose_lhs, transpose_rhs} : (tensor<7x1x3x2xi32>, tensor<5x4x3xi32>) -> tensor<7x5x2x4xi32>
  %y = weir.matmul %t, %u after(%c) {transpose_lhs, transpose_rhs} : (tensor<7x1x3x2xi32>, tensor<5x4x3xi32>) -> tensor<7x5x2x4xi32>
  weir.fetch
}

// CHECK-LABEL: weir.graph @convolutions
weir.graph @convolutions(%x: tensor<?x8x8x1xf32>, %k: tensor<3x3x1x16xf32>, %dy: tensor<?x8x8x16xf32>, %dz: tensor<?x3x3x16xf32>) {
  %c = weir.no_op
  // CHECK: weir.conv2d %{{.+}}, %{{.+}} {dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>, strides = array<i64: 1, 1>} : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32>
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
    : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32>
  // CHECK: weir.conv2d %{{.+}}, %{{.+}} after(%{{.+}}) {dilations = array<i64: 2, 1>, padding = #weir.padding<EXPLICIT>, pads = array<i64: 0, 1, 2, 0>, strides = array<i64: 2, 3>} : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x3x3x16xf32>
  %z = weir.conv2d %x, %k after(%c) {strides = array<i64: 2, 3>, dilations = array<i64: 2, 1>, padding = #weir.padding<EXPLICIT>, pads = array<i64: 0, 1, 2, 0>}
    : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x3x3x16xf32>
  // CHECK: weir.conv2d_backprop_input %{{.+}}, %{{.+}} {dilations = array<i64: 1, 1>, input_size = array<i64: 8, 8>, padding = #weir.padding<SAME>, strides = array<i64: 1, 1>} : (tensor<3x3x1x16xf32>, tensor<?x8x8x16xf32>) -> tensor<?x8x8x1xf32>
  %dx = weir.conv2d_backprop_input %k, %dy {input_size = array<i64: 8, 8>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
    : (tensor<3x3x1x16xf32>, tensor<?x8x8x16xf32>) -> tensor<?x8x8x1xf32>
  // CHECK: weir.conv2d_backprop_filter %{{.+}}, %{{.+}} {dilations = array<i64: 1, 1>, filter_size = array<i64: 3, 3>, padding = #weir.padding<SAME>, strides = array<i64: 1, 1>} : (tensor<?x8x8x1xf32>, tensor<?x8x8x16xf32>) -> tensor<3x3x1x16xf32>
  %dk = weir.conv2d_backprop_filter %x, %dy {filter_size = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
    : (tensor<?x8x8x1xf32>, tensor<?x8x8x16xf32>) -> tensor<3x3x1x16xf32>
  weir.fetch
}

// CHECK-LABEL: weir.graph @pools
weir.graph @pools(%x: tensor<?x8x8x16xf32>, %dy: tensor<?x4x4x16xf32>) {
  // CHECK: %[[Y:.+]] = weir.max_pool %{{.+}} {padding = #weir.padding<VALID>, strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x8x8x16xf32>) -> tensor<?x4x4x16xf32>
  %y = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
    : (tensor<?x8x8x16xf32>) -> tensor<?x4x4x16xf32>
  // CHECK: weir.max_pool_grad %{{.+}}, %[[Y]], %{{.+}} {padding = #weir.padding<VALID>, strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x8x8x16xf32>, tensor<?x4x4x16xf32>, tensor<?x4x4x16xf32>) -> tensor<?x8x8x16xf32>
  %dx = weir.max_pool_grad %x, %y, %dy {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
    : (tensor<?x8x8x16xf32>, tensor<?x4x4x16xf32>, tensor<?x4x4x16xf32>) -> tensor<?x8x8x16xf32>
  // CHECK: weir.avg_pool %{{.+}} {padding = #weir.padding<EXPLICIT>, pads = array<i64: 0, 1, 1, 0>, strides = array<i64: 3, 3>, window = array<i64: 3, 3>} : (tensor<?x8x8x16xf32>) -> tensor<?x3x3x16xf32>
  %a = weir.avg_pool %x {window = array<i64: 3, 3>, strides = array<i64: 3, 3>, padding = #weir.padding<EXPLICIT>, pads = array<i64: 0, 1, 1, 0>}
    : (tensor<?x8x8x16xf32>) -> tensor<?x3x3x16xf32>
  // CHECK: weir.avg_pool_grad %{{.+}} {input_size = array<i64: 8, 8>, padding = #weir.padding<VALID>, strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x4x4x16xf32>) -> tensor<?x8x8x16xf32>
  %da = weir.avg_pool_grad %dy {input_size = array<i64: 8, 8>, window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
    : (tensor<?x4x4x16xf32>) -> tensor<?x8x8x16xf32>
  weir.fetch
}

// CHECK-LABEL: weir.graph @losses
weir.graph @losses(%x: tensor<?x10xf32>, %labels: tensor<?xi32>) {
  // CHECK: weir.softmax %{{.+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %s = weir.softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: weir.log_softmax %{{.+}} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %l = weir.log_softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: weir.sparse_softmax_cross_entropy %{{.+}}, %{{.+}} : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
  %e = weir.sparse_softmax_cross_entropy %x, %labels : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
  weir.fetch
}

//===----------------------------------------------------------------------===//
// Shapes, reductions, indices, random numbers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: weir.graph @shapes
weir.graph @shapes(%x: tensor<?x8x8xf32>, %m: tensor<2x3xf32>, %v: tensor<?xf32>, %w: tensor<?x1xf32>, %n: tensor<4x3xf32>) {
  // CHECK: weir.reshape %{{.+}} {shape = array<i64: -1, 64>} : (tensor<?x8x8xf32>) -> tensor<?x64xf32>
  %a = weir.reshape %x {shape = array<i64: -1, 64>} : (tensor<?x8x8xf32>) -> tensor<?x64xf32>
  // CHECK: weir.reshape_like %{{.+}}, %{{.+}} : (tensor<?xf32>, tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
  %b = weir.reshape_like %v, %x : (tensor<?xf32>, tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
  // CHECK: weir.expand_dims %{{.+}} {axes = array<i64: 0, 2>} : (tensor<?xf32>) -> tensor<1x?x1xf32>
  %c = weir.expand_dims %v {axes = array<i64: 0, 2>} : (tensor<?xf32>) -> tensor<1x?x1xf32>
  // CHECK: weir.squeeze %{{.+}} {axes = array<i64: 1>} : (tensor<?x1xf32>) -> tensor<?xf32>
  %d = weir.squeeze %w {axes = array<i64: 1>} : (tensor<?x1xf32>) -> tensor<?xf32>
  // CHECK: weir.transpose %{{.+}} {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %e = weir.transpose %m {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: weir.broadcast_to %{{.+}} {shape = array<i64: 4, -1, 3>} : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %f = weir.broadcast_to %m {shape = array<i64: 4, -1, 3>} : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: weir.broadcast_like %{{.+}}, %{{.+}} : (tensor<?x1xf32>, tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
  %g = weir.broadcast_like %w, %x : (tensor<?x1xf32>, tensor<?x8x8xf32>) -> tensor<?x8x8xf32>
  // CHECK: weir.concat %{{.+}}, %{{.+}} {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  %h = weir.concat %m, %n {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  // CHECK: weir.concat %{{.+}} after(%{{.+}}) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %ctl = weir.no_op
  %i = weir.concat %m after(%ctl) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: weir.slice %{{.+}} {begin = array<i64: 0, 1, 0>, size = array<i64: -1, 3, -1>, strides = array<i64: 1, 2, 3>} : (tensor<?x8x8xf32>) -> tensor<?x3x3xf32>
  %j = weir.slice %x {begin = array<i64: 0, 1, 0>, size = array<i64: -1, 3, -1>, strides = array<i64: 1, 2, 3>} : (tensor<?x8x8xf32>) -> tensor<?x3x3xf32>
  // CHECK: weir.pad %{{.+}} {high = array<i64: 0, 2>, interior = array<i64: 1, 0>, low = array<i64: 1, 0>, value = 1.500000e+00 : f64} : (tensor<2x3xf32>) -> tensor<4x5xf32>
  %k = weir.pad %m {low = array<i64: 1, 0>, high = array<i64: 0, 2>, interior = array<i64: 1, 0>, value = 1.5 : f64} : (tensor<2x3xf32>) -> tensor<4x5xf32>
  // CHECK: weir.reverse %{{.+}} {axes = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %l = weir.reverse %m {axes = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: weir.iota {axis = 1 : i64, type = tensor<2x5xi32>} : () -> tensor<2x5xi32>
  %o = weir.iota {axis = 1 : i64, type = tensor<2x5xi32>} : () -> tensor<2x5xi32>
  // CHECK: weir.iota after(%{{.+}}) {axis = 0 : i64, type = tensor<3xbf16>} : () -> tensor<3xbf16>
  %p = weir.iota after(%ctl) {axis = 0 : i64, type = tensor<3xbf16>} : () -> tensor<3xbf16>
  // CHECK: weir.shape_of %{{.+}} : (tensor<?x8x8xf32>) -> tensor<3xi64>
  %q = weir.shape_of %x : (tensor<?x8x8xf32>) -> tensor<3xi64>
  // CHECK: weir.dim_size %{{.+}} {axis = 2 : i64} : (tensor<?x8x8xf32>) -> tensor<i64>
  %r = weir.dim_size %x {axis = 2 : i64} : (tensor<?x8x8xf32>) -> tensor<i64>
  weir.fetch
}

// CHECK-LABEL: weir.graph @reductions
weir.graph @reductions(%x: tensor<?x8xf32>, %b: tensor<?x8xi1>) {
  // CHECK: weir.reduce_sum %{{.+}} {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  %sum = weir.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  // CHECK: weir.reduce_mean %{{.+}} {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  %mean = weir.reduce_mean %x {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  // CHECK: weir.reduce_prod %{{.+}} {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  %prod = weir.reduce_prod %x {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  // CHECK: weir.reduce_max %{{.+}} {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  %max = weir.reduce_max %x {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  // CHECK: weir.reduce_min %{{.+}} {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  %min = weir.reduce_min %x {axes = array<i64: 0>} : (tensor<?x8xf32>) -> tensor<8xf32>
  // CHECK: weir.reduce_any %{{.+}} {axes = array<i64: 0, 1>, keep_dims} : (tensor<?x8xi1>) -> tensor<1x1xi1>
  %any = weir.reduce_any %b {axes = array<i64: 0, 1>, keep_dims} : (tensor<?x8xi1>) -> tensor<1x1xi1>
  // CHECK: weir.reduce_all %{{.+}} {axes = array<i64: 0, 1>, keep_dims} : (tensor<?x8xi1>) -> tensor<1x1xi1>
  %all = weir.reduce_all %b {axes = array<i64: 0, 1>, keep_dims} : (tensor<?x8xi1>) -> tensor<1x1xi1>
  // Over no axis, a reduction is its operand.
  // CHECK: weir.reduce_sum %{{.+}} {axes = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %none = weir.reduce_sum %x {axes = array<i64>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: weir.argmax %{{.+}} {axis = 1 : i64, nan = #weir.nan_rule<first>, to = i64} : (tensor<?x8xf32>) -> tensor<?xi64>
  %am = weir.argmax %x {axis = 1 : i64, to = i64} : (tensor<?x8xf32>) -> tensor<?xi64>
  // CHECK: weir.argmin %{{.+}} {axis = 0 : i64, nan = #weir.nan_rule<skip>, to = i32} : (tensor<?x8xf32>) -> tensor<8xi32>
  %an = weir.argmin %x {axis = 0 : i64, nan = #weir.nan_rule<skip>, to = i32} : (tensor<?x8xf32>) -> tensor<8xi32>
  weir.fetch
}

// CHECK-LABEL: weir.graph @indices
weir.graph @indices(%p: tensor<100x8xf32>, %i: tensor<?xi32>, %j: tensor<2x3xi64>, %d: tensor<?x8xf32>, %seed: tensor<2xi64>) {
  // CHECK: weir.gather %{{.+}}, %{{.+}} {axis = 0 : i64} : (tensor<100x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  %a = weir.gather %p, %i {axis = 0 : i64} : (tensor<100x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  // CHECK: weir.gather %{{.+}}, %{{.+}} {axis = 1 : i64} : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<100x2x3xf32>
  %b = weir.gather %p, %j {axis = 1 : i64} : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<100x2x3xf32>
  // CHECK: weir.take_along %{{.+}}, %{{.+}} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?xf32>
  %c = weir.take_along %d, %i : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?xf32>
  // CHECK: weir.unsorted_segment_sum %{{.+}}, %{{.+}} {segment_count = 100 : i64} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<100x8xf32>
  %e = weir.unsorted_segment_sum %d, %i {segment_count = 100 : i64} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<100x8xf32>
  // CHECK: weir.one_hot %{{.+}} {depth = 10 : i64, to = f32} : (tensor<?xi32>) -> tensor<?x10xf32>
  %f = weir.one_hot %i {depth = 10 : i64, to = f32} : (tensor<?xi32>) -> tensor<?x10xf32>
  // CHECK: weir.random_uniform %{{.+}} {type = tensor<4xf32>} : (tensor<2xi64>) -> tensor<4xf32>
  %g = weir.random_uniform %seed {type = tensor<4xf32>} : (tensor<2xi64>) -> tensor<4xf32>
  // CHECK: weir.random_normal %{{.+}} {type = tensor<2x2xf64>} : (tensor<2xi64>) -> tensor<2x2xf64>
  %h = weir.random_normal %seed {type = tensor<2x2xf64>} : (tensor<2xi64>) -> tensor<2x2xf64>
  weir.fetch
}

// What is fetched may say more than the graph promises.
// CHECK-LABEL: weir.graph @fetch_knows_more
// CHECK:         weir.fetch %{{.+}} : tensor<2xf32>
weir.graph @fetch_knows_more(%x: tensor<2xf32>) -> tensor<?xf32> {
  weir.fetch %x : tensor<2xf32>
}
