// RUN: weir-opt %s --weir-simplify-fold-constants=max-elements=8 --split-input-file | FileCheck %s
// What depends on constants alone is computed, where compiled code would give the same bits.

// A chain of integers and of correctly rounded floats becomes two constants.
// CHECK-LABEL: weir.graph @exact
// CHECK-DAG:     %[[I:.+]] = weir.constant dense<[-2147483648, 3]> : tensor<2xi32>
// CHECK-DAG:     %[[F:.+]] = weir.constant dense<0.333333343> : tensor<f32>
// CHECK:         weir.fetch %[[I]], %[[F]]
module {
  weir.graph @exact() -> (tensor<2xi32>, tensor<f32>) {
    %a = weir.constant dense<[2147483647, 2]> : tensor<2xi32>
    %one = weir.constant dense<1> : tensor<i32>
    %i = weir.add %a, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    %three = weir.slice %i {begin = array<i64: 1>, size = array<i64: 1>, strides = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
    %s = weir.squeeze %three {axes = array<i64: 0>} : (tensor<1xi32>) -> tensor<i32>
    %f = weir.cast %s {to = f32} : (tensor<i32>) -> tensor<f32>
    %r = weir.reciprocal %f : (tensor<f32>) -> tensor<f32>
    weir.fetch %i, %r : tensor<2xi32>, tensor<f32>
  }
}

// -----

// An exponential may differ in its last bit from one machine to the next, a sum by its order: both stay.
// CHECK-LABEL: weir.graph @inexact
// CHECK:         weir.exp
// CHECK:         weir.reduce_sum
module {
  weir.graph @inexact() -> (tensor<2xf32>, tensor<f32>) {
    %a = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %e = weir.exp %a : (tensor<2xf32>) -> tensor<2xf32>
    %s = weir.reduce_sum %a {axes = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
    weir.fetch %e, %s : tensor<2xf32>, tensor<f32>
  }
}

// -----

// An error belongs to the run, as the node may never run; and a large result to the program that needs it.
// CHECK-LABEL: weir.graph @left
// CHECK:         weir.gather
// CHECK:         weir.iota
module {
  weir.graph @left() -> (tensor<1xf32>, tensor<9xi32>) {
    %p = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %i = weir.constant dense<7> : tensor<1xi32>
    %g = weir.gather %p, %i {axis = 0 : i64} : (tensor<2xf32>, tensor<1xi32>) -> tensor<1xf32>
    %n = weir.iota {axis = 0 : i64, type = tensor<9xi32>} : () -> tensor<9xi32>
    weir.fetch %g, %n : tensor<1xf32>, tensor<9xi32>
  }
}

// -----

// A node that waits for something waits still.
// CHECK-LABEL: weir.graph @waiting
// CHECK:         weir.add {{.*}} after
module {
  weir.variable @w : tensor<f32>
  weir.graph @waiting(%x: tensor<f32>) -> tensor<f32> {
    %c = weir.assign @w, %x : tensor<f32>
    %one = weir.constant dense<1.0> : tensor<f32>
    %y = weir.add %one, %one after(%c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}
