// RUN: weir-opt %s --weir-schedule-order-program --split-input-file --verify-diagnostics
// What cannot be put in order is an error at the node.

// Two assignments that wait for each other.
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @cycle(%x: tensor<2xf32>) {
    // expected-error@below {{[WEIR0103] node 'first' waits for itself: its edges form a cycle}}
    %a = weir.assign @w, %x after(%b) {weir.name = "first"} : tensor<2xf32>
    %b = weir.assign @w, %x after(%a) {weir.name = "second"} : tensor<2xf32>
    weir.fetch after(%a)
  }
}

// -----

// Gradients are expanded before a program is put in order.
module {
  weir.graph @gradients(%x: tensor<f32>) -> tensor<f32> {
    // expected-error@below {{[WEIR0110] node 'weir.gradients' cannot be part of a straight-line program}}
    %g = weir.gradients %x wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}

// -----

// A loop of a frame has no order: it is raised before, or left to the executor.
module {
  weir.graph @loop(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
    %e, %c0 = weir.enter %x {frame = "loop"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    // expected-error@below {{[WEIR0110] node 'again' cannot be part of a straight-line program: it begins a loop}}
    %m, %i, %c1 = weir.merge %e, %n {weir.name = "again"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %q, %c5 = weir.enter %p {frame = "loop", is_constant} : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %f, %t, %c2 = weir.switch %m, %q : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n, %c3 = weir.next_iteration %t : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %y, %c4 = weir.exit %f : (tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}
