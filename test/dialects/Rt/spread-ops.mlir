// The entry point that several devices run parts of.
//
// RUN: weir-opt %s --split-input-file | weir-opt --split-input-file | FileCheck %s
// RUN: not weir-opt %S/Inputs/spread-bad-part.mlir 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not weir-opt %S/Inputs/spread-bad-fetch.mlir 2>&1 | FileCheck %s --check-prefix=FETCH

// CHECK: rt.spread @train feeds [{name = "x", type = tensor<f32>}] fetches [{name = "y", type = tensor<f32>}] parts
// CHECK-SAME: {feeds = array<i32: 0>, fetches = array<i32>, graph = @train.0}
rt.spread @train feeds [{name = "x", type = tensor<f32>}] fetches [{name = "y", type = tensor<f32>}] parts [
  {graph = @train.0, feeds = array<i32: 0>, fetches = array<i32>},
  {graph = @train.1, feeds = array<i32>, fetches = array<i32: 0>}]

// A number of a feed that is not there. spread_c1
// PART: spread-bad-part.mlir:1:1: error: 'rt.spread' op [WEIR0018] a part is {graph, feeds, fetches} with numbers of feeds below 0 and of fetches below 0

// A fetch that two parts have. spread_c2
// FETCH: spread-bad-fetch.mlir:1:1: error: 'rt.spread' op [WEIR0018] fetch 0 is of 2 parts, but has to be of one
