// REQUIRES: weir-run
// RUN: weir-run %s --entry=windows --quiet > %t.compiled
// RUN: weir-run %s --entry=windows --quiet --interpret > %t.interpreted
// RUN: diff %t.interpreted %t.compiled
// RUN: weir-run %s --entry=places --feed x=[[1,2,3],[4,5,6]] --feed i=[1,0,1] --quiet > %t.compiled
// RUN: weir-run %s --entry=places --feed x=[[1,2,3],[4,5,6]] --feed i=[1,0,1] --quiet --interpret > %t.interpreted
// RUN: diff %t.interpreted %t.compiled
// RUN: FileCheck %s < %t.compiled
// RUN: not weir-run %s --entry=places --feed x=[[1,2,3],[4,5,6]] --feed i=[1,2,1] --quiet 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not weir-run %s --entry=places --feed x=[[1,2,3],[4,5,6]] --feed i=[1,-1] --quiet 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: weir-run %s --entry=random --quiet | FileCheck %s --check-prefix=RANDOM
// Compiled code gives what the interpreter gives: exactly, as all numbers here
// are small integers.

// An index that is no row of what is fed is an error that names the node.
// INDEX: error: [WEIR0330] 'rows' at {{.*}}: an index is outside 0 <= i < 2

// Windows with and without padding, strides, dilation; gradients where windows
// overlap and where they are side by side.
weir.graph @windows() -> (tensor<2x3x4x2xf32> {weir.name = "conv"}, tensor<2x2x2x2xf32> {weir.name = "filter"}, tensor<2x3x3x1xf32> {weir.name = "pool"}, tensor<2x5x6x1xf32> {weir.name = "overlap"}, tensor<2x5x6x1xf32> {weir.name = "side"}) {
  %n = weir.iota {axis = 0 : i64, type = tensor<60xf32>} : () -> tensor<60xf32>
  %k = weir.constant dense<7.0> : tensor<f32>
  %m = weir.mul %n, %k : (tensor<60xf32>, tensor<f32>) -> tensor<60xf32>
  %eleven = weir.constant dense<11.0> : tensor<f32>
  %q = weir.div %m, %eleven : (tensor<60xf32>, tensor<f32>) -> tensor<60xf32>
  %f = weir.floor %q : (tensor<60xf32>) -> tensor<60xf32>
  %s = weir.mul %f, %eleven : (tensor<60xf32>, tensor<f32>) -> tensor<60xf32>
  %r = weir.sub %m, %s : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xf32>
  %x = weir.reshape %r {shape = array<i64: 2, 5, 6, 1>} : (tensor<60xf32>) -> tensor<2x5x6x1xf32>
  %filter = weir.constant dense<[[[[1.0, 2.0]], [[3.0, -1.0]]], [[[0.0, 1.0]], [[-2.0, 1.0]]]]> : tensor<2x2x1x2xf32>
  %conv = weir.conv2d %x, %filter {strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, padding = #weir.padding<EXPLICIT>, pads = array<i64: 1, 0, 0, 0>} : (tensor<2x5x6x1xf32>, tensor<2x2x1x2xf32>) -> tensor<2x3x4x2xf32>
  %dk = weir.conv2d_backprop_filter %x, %conv {filter_size = array<i64: 2, 2>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, padding = #weir.padding<EXPLICIT>, pads = array<i64: 1, 0, 0, 0>} : (tensor<2x5x6x1xf32>, tensor<2x3x4x2xf32>) -> tensor<2x2x1x2xf32>
  %dk2 = weir.concat %dk, %filter {axis = 2 : i64} : (tensor<2x2x1x2xf32>, tensor<2x2x1x2xf32>) -> tensor<2x2x2x2xf32>
  %pool = weir.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = #weir.padding<SAME>} : (tensor<2x5x6x1xf32>) -> tensor<2x3x3x1xf32>
  %overlap = weir.max_pool_grad %x, %pool, %pool {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = #weir.padding<SAME>} : (tensor<2x5x6x1xf32>, tensor<2x3x3x1xf32>, tensor<2x3x3x1xf32>) -> tensor<2x5x6x1xf32>
  %small = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<2x5x6x1xf32>) -> tensor<2x2x3x1xf32>
  %side = weir.max_pool_grad %x, %small, %small {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<2x5x6x1xf32>, tensor<2x2x3x1xf32>, tensor<2x2x3x1xf32>) -> tensor<2x5x6x1xf32>
  weir.fetch %conv, %dk2, %pool, %overlap, %side : tensor<2x3x4x2xf32>, tensor<2x2x2x2xf32>, tensor<2x3x3x1xf32>, tensor<2x5x6x1xf32>, tensor<2x5x6x1xf32>
}

// What moves elements, with extents that only the run knows.
// CHECK: rows = {{\[}}[4, 5, 6], [1, 2, 3], [4, 5, 6]]
// CHECK: sums = {{\[}}[1, 2, 3], [8, 10, 12], [0, 0, 0]]
// CHECK: padded = {{\[}}[9, 9, 9, 9, 9, 9], [9, 6, 9, 5, 9, 4], [9, 9, 9, 9, 9, 9], [9, 3, 9, 2, 9, 1]]
// CHECK: cut = {{\[}}[3], [6]]
// CHECK: best = [2, 2, 2]
// CHECK: any = [true, true, true]
weir.graph @places(%x: tensor<?x3xf32> {weir.name = "x"}, %i: tensor<?xi32> {weir.name = "i"}) -> (tensor<?x3xf32> {weir.name = "rows"}, tensor<3x3xf32> {weir.name = "sums"}, tensor<?x6xf32> {weir.name = "padded"}, tensor<?x1xf32> {weir.name = "cut"}, tensor<?xi32> {weir.name = "best"}, tensor<?xi1> {weir.name = "any"}) {
  %rows = weir.gather %x, %i {axis = 0 : i64, weir.name = "rows"} : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<?x3xf32>
  %sums = weir.unsorted_segment_sum %rows, %i {segment_count = 3 : i64} : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<3x3xf32>
  %turned = weir.reverse %x {axes = array<i64: 0, 1>} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %padded = weir.pad %turned {low = array<i64: 1, 1>, high = array<i64: 0, 0>, interior = array<i64: 1, 1>, value = 9.0 : f64} : (tensor<?x3xf32>) -> tensor<?x6xf32>
  %cut = weir.slice %x {begin = array<i64: 0, 2>, size = array<i64: -1, 1>, strides = array<i64: 1, 2>} : (tensor<?x3xf32>) -> tensor<?x1xf32>
  %best = weir.argmax %rows {axis = 1 : i64, to = i32} : (tensor<?x3xf32>) -> tensor<?xi32>
  %three = weir.constant dense<3.0> : tensor<f32>
  %large = weir.compare %rows, %three {predicate = #weir.compare<ge>} : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xi1>
  %any = weir.reduce_any %large {axes = array<i64: 1>} : (tensor<?x3xi1>) -> tensor<?xi1>
  weir.fetch %rows, %sums, %padded, %cut, %best, %any : tensor<?x3xf32>, tensor<3x3xf32>, tensor<?x6xf32>, tensor<?x1xf32>, tensor<?xi32>, tensor<?xi1>
}

// The known answers of docs/spec/random.md, as words >> 8.
// RANDOM: words = [6694888, 14772677, 12343212, 10158299]
weir.graph @random() -> (tensor<4xi32> {weir.name = "words"}) {
  %seed = weir.constant dense<0> : tensor<2xi64>
  %u = weir.random_uniform %seed {type = tensor<4xf32>} : (tensor<2xi64>) -> tensor<4xf32>
  %scale = weir.constant dense<16777216.0> : tensor<f32>
  %w = weir.mul %u, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %words = weir.cast %w {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
  weir.fetch %words : tensor<4xi32>
}
