// RUN: weir-run %s --interpret --entry=init --entry=count --entry=count --feed x=[1,2] | FileCheck %s --check-prefix=COUNT
// RUN: not weir-run %s --interpret --entry=count 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: weir-run %s --interpret --entry=partial --feed x=[1,2] | FileCheck %s --check-prefix=PARTIAL
// RUN: not weir-run %s --interpret --entry=init --entry=fail --feed x=[1,2] --feed y=nan 2>&1 | FileCheck %s --check-prefix=FAIL
// Variables outlive a step, and a step runs only what its fetches need.
// REQUIRES: weir-run

// Each step adds to what the one before it left.
// COUNT: result0 = [2, 4]

// A variable has no value before it is assigned: the node, the place and the variable are named.
// EMPTY: [WEIR0306] 'weir.read' at {{.*}}state.mlir:[[#@LINE+11]]: variable 'w' is read before it has a value

module {
  weir.variable @w : tensor<2xf32>

  weir.graph @init(%x: tensor<2xf32> {weir.name = "x"}) {
    %c = weir.assign @w, %x : tensor<2xf32>
    weir.fetch after(%c)
  }

  weir.graph @count() -> tensor<2xf32> {
    %w, %r = weir.read @w : tensor<2xf32>
    %c = weir.assign_add @w, %w after(%r) : tensor<2xf32>
    weir.fetch %w after(%c) : tensor<2xf32>
  }

  // The read of a variable without a value is needed by no fetch, so it does not run.
  // PARTIAL: result0 = [-1, -2]
  weir.graph @partial(%x: tensor<2xf32> {weir.name = "x"}) -> tensor<2xf32> {
    %w, %r = weir.read @w : tensor<2xf32>
    %bad = weir.add %w, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = weir.neg %x : (tensor<2xf32>) -> tensor<2xf32>
    weir.fetch %y : tensor<2xf32>
  }

  // FAIL: [WEIR0333] 'loss' at {{.*}}state.mlir:[[#@LINE+2]]: the loss diverged: element 0 of f32 of shape scalar is NaN
  weir.graph @fail(%y: tensor<f32> {weir.name = "y"}) -> tensor<f32> {
    %z, %c = weir.check_numerics %y "the loss diverged" {weir.name = "loss"} : tensor<f32>
    weir.fetch %z : tensor<f32>
  }
}
