// weir-raise-control-flow: a graph has no control flow yet, and stays as it is.
//
// RUN: weir-opt %s --weir-raise-control-flow | FileCheck %s
// RUN: weir-opt %s > %t.before
// RUN: weir-opt %s --weir-raise-control-flow | diff %t.before -

// CHECK-LABEL: weir.graph @plain
weir.graph @plain(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  // CHECK: weir.group "neg"
  %y = weir.group "neg" -> tensor<f32> {
    %n = weir.neg %x : (tensor<f32>) -> tensor<f32>
    weir.yield %n : tensor<f32>
  }
  // CHECK: weir.select
  %z = weir.select %c, %x, %y : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  weir.fetch %z : tensor<f32>
}
