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
