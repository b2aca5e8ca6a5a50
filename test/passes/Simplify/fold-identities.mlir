// RUN: weir-opt %s --weir-simplify-fold-identities --split-input-file | FileCheck %s
// Nodes that give their operand back are removed, where that holds for every value.

// Nodes that undo each other.
// CHECK-LABEL: weir.graph @undone
// CHECK-SAME:    (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT:    weir.fetch %[[X]], %[[X]], %[[X]], %[[X]]
module {
  weir.graph @undone(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %n = weir.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %a = weir.neg %n : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %t = weir.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %b = weir.transpose %t {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %r = weir.reshape %x {shape = array<i64: 6>} : (tensor<2x3xf32>) -> tensor<6xf32>
    %c = weir.reshape %r {shape = array<i64: 2, 3>} : (tensor<6xf32>) -> tensor<2x3xf32>
    %e = weir.expand_dims %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    %d = weir.squeeze %e {axes = array<i64: 1>} : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
    weir.fetch %a, %b, %c, %d : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}

// -----

// Nodes that do nothing to a value of known extents.
// CHECK-LABEL: weir.graph @nothing
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32>)
// CHECK-NEXT:    weir.fetch %[[X]], %[[X]], %[[X]], %[[X]]
module {
  weir.graph @nothing(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %a = weir.stop_gradient %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = weir.broadcast_to %a {shape = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
    %c = weir.concat %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %d = weir.slice %x {begin = array<i64: 0>, size = array<i64: -1>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
    weir.fetch %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// What would hold for numbers, but not for NaN, the infinities and -0, stays.
// CHECK-LABEL: weir.graph @floats
// CHECK:         weir.add
// CHECK:         weir.mul
// CHECK:         weir.sub
// CHECK:         weir.div
// CHECK:         weir.log
module {
  weir.graph @floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %zero = weir.constant dense<0.0> : tensor<4xf32>
    %a = weir.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %b = weir.mul %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %c = weir.sub %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %d = weir.div %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %e = weir.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %l = weir.log %e : (tensor<4xf32>) -> tensor<4xf32>
    weir.fetch %a, %b, %c, %d, %l : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A reshape whose extents only a run knows is a check; a control edge is a wait. Both stay.
// CHECK-LABEL: weir.graph @checks
// CHECK-COUNT-2: weir.reshape
// CHECK-COUNT-2: weir.neg
module {
  weir.variable @w : tensor<f32>
  weir.graph @checks(%x: tensor<?xf32>, %v: tensor<f32>) -> (tensor<?xf32>, tensor<f32>) {
    %a = weir.reshape %x {shape = array<i64: -1, 4>} : (tensor<?xf32>) -> tensor<?x4xf32>
    %b = weir.reshape %a {shape = array<i64: -1>} : (tensor<?x4xf32>) -> tensor<?xf32>
    %c = weir.assign @w, %v : tensor<f32>
    %n = weir.neg %v after(%c) : (tensor<f32>) -> tensor<f32>
    %p = weir.neg %n : (tensor<f32>) -> tensor<f32>
    weir.fetch %b, %p : tensor<?xf32>, tensor<f32>
  }
}

// -----

// Choices that one condition has made already.
// CHECK-LABEL: weir.graph @select
// CHECK-SAME:    (%[[C:.+]]: tensor<4xi1>, %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[Z:.+]] = weir.select %[[C]], %[[X]], %[[Y]]
// CHECK-NEXT:    weir.fetch %[[Z]]
module {
  weir.graph @select(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %n = weir.logical_not %c : (tensor<4xi1>) -> tensor<4xi1>
    %a = weir.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %b = weir.select %n, %y, %a : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    weir.fetch %b : tensor<4xf32>
  }
}

// -----

// Gradients are taken with respect to the value named, so nothing is folded before they are expanded.
// CHECK-LABEL: weir.graph @request
// CHECK:         weir.identity
module {
  weir.graph @request(%x: tensor<f32>) -> tensor<f32> {
    %a = weir.identity %x : (tensor<f32>) -> tensor<f32>
    %y = weir.mul %a, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %g = weir.gradients %y wrt(%a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}

// -----

// A shape that is known needs no operand, but the result is dead with it: where
// values can be dead, the operand stays.
// CHECK-LABEL: weir.graph @dead_with
// CHECK:         weir.broadcast_like
// CHECK:         weir.shape_of
// CHECK:         weir.broadcast_to
module {
  weir.graph @dead_with(%x: tensor<2xf32>, %k: tensor<f32>, %p: tensor<i1>) -> (tensor<2xf32>, tensor<1xi64>, tensor<2xf32>) {
    %f, %t, %c = weir.switch %x, %p : (tensor<2xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>, !weir.control)
    %b = weir.broadcast_like %k, %f : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
    %s = weir.shape_of %f : (tensor<2xf32>) -> tensor<1xi64>
    %a = weir.broadcast_like %k, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
    weir.fetch %b, %s, %a : tensor<2xf32>, tensor<1xi64>, tensor<2xf32>
  }
}

// -----

// A check of extents that the type answers is none; what waited for it waits
// for the value.
// CHECK-LABEL: weir.graph @ensured
// CHECK-SAME:    (%[[X:.+]]: tensor<2xf32>
// CHECK-NOT:     weir.ensure_shape
// CHECK:         %[[C:.+]] = weir.completed %[[X]]
// CHECK:         weir.fetch %[[X]] after(%[[C]])
module {
  weir.graph @ensured(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y, %c = weir.ensure_shape %x : (tensor<2xf32>) -> (tensor<2xf32>, !weir.control)
    weir.fetch %y after(%c) : tensor<2xf32>
  }
}
