// RUN: weir-run %s --interpret --entry=order --feed x=3 | FileCheck %s
// Edges alone make the order of a step, not the text.
// REQUIRES: weir-run

// The assignment stands last and runs first; the two reads see the value before and after the second one.
// CHECK: before = 3
// CHECK: after = 4
module {
  weir.variable @w : tensor<f32>
  weir.graph @order(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "before"}, tensor<f32> {weir.name = "after"}) {
    %after, %r2 = weir.read @w after(%added) : tensor<f32>
    %added = weir.assign_add @w, %one after(%r1) : tensor<f32>
    %before, %r1 = weir.read @w after(%assigned) : tensor<f32>
    %one = weir.constant dense<1.0> : tensor<f32>
    %assigned = weir.assign @w, %x : tensor<f32>
    weir.fetch %before, %after : tensor<f32>, tensor<f32>
  }
}
