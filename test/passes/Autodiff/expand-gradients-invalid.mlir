// RUN: weir-opt %s --weir-autodiff-expand-gradients --split-input-file --verify-diagnostics
// A gradient that cannot be had is an error at the node that has none.

// A node on the path without a gradient is named, with both ends of the path.
module {
  weir.graph @no_gradient(%x: tensor<4xf32> {weir.name = "x"}, %k: tensor<i32>) -> tensor<4xf32> {
    // expected-error@below {{[WEIR0130] 'p' lies on the path from 'x' to 'loss', but has no gradient; where none should flow, put weir.stop_gradient before it}}
    %p, %i, %c = weir.top_k %x, %k {weir.name = "p"} : (tensor<4xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>, !weir.control)
    %y = weir.neg %p {weir.name = "loss"} : (tensor<?xf32>) -> tensor<?xf32>
    // expected-note@below {{the gradient is asked for here}}
    %g = weir.gradients %y wrt(%x) : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
    weir.fetch %g : tensor<4xf32>
  }
}

// -----

// A gradient that needs an extent which only a run knows is no zero, but an error.
module {
  weir.graph @open_extent(%x: tensor<?x3xf32> {weir.name = "table"}, %i: tensor<2xi32>) -> tensor<?x3xf32> {
    // expected-error@below {{[WEIR0130] 'weir.gather' lies on the path from 'table' to 'weir.gather', but its gradient cannot be built: it gathers along a dimension whose extent is not known at compile time}}
    %y = weir.gather %x, %i {axis = 0 : i64} : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    // expected-note@below {{the gradient is asked for here}}
    %g = weir.gradients %y wrt(%x) : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    weir.fetch %g : tensor<?x3xf32>
  }
}

// -----

// The same for a slice out of the middle, which once gave zeros.
module {
  weir.graph @open_slice(%x: tensor<?xf32>) -> tensor<?xf32> {
    // expected-error@below {{it takes a part of a dimension whose extent is not known at compile time}}
    %y = weir.slice %x {begin = array<i64: 0>, size = array<i64: 2>, strides = array<i64: 1>} : (tensor<?xf32>) -> tensor<2xf32>
    // expected-note@below {{the gradient is asked for here}}
    %g = weir.gradients %y wrt(%x) : (tensor<2xf32>, tensor<?xf32>) -> tensor<?xf32>
    weir.fetch %g : tensor<?xf32>
  }
}

// -----

// The gradient of a product of open extent is there, but that of the products so far which it is made of is not.
module {
  weir.graph @open_product(%x: tensor<?xf32>) -> tensor<?xf32> {
    // expected-error@below {{'weir.cumulative_prod' lies on the path from 'arg0' to 'weir.mul', but its gradient cannot be built: it multiplies along a dimension whose extent is not known at compile time}}
    %y = weir.reduce_prod %x {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %g = weir.gradients %y wrt(%x) : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    // expected-note@below {{the gradient is asked for here}}
    %h = weir.gradients %g wrt(%x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    weir.fetch %h : tensor<?xf32>
  }
}

// -----

// A cycle has no gradient, and ends neither the pass nor the process.
module {
  weir.graph @cycle(%x: tensor<f32>) -> tensor<f32> {
    %a = weir.add %x, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b = weir.neg %a {weir.name = "b"} : (tensor<f32>) -> tensor<f32>
    // expected-error@below {{[WEIR0133] 'b' depends on itself: there is no gradient through a cycle}}
    %g = weir.gradients %b wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}

// -----

// Nor has a request that is computed from itself.
module {
  weir.graph @own_gradient(%x: tensor<f32>) -> tensor<f32> {
    // expected-error@below {{[WEIR0133] depends on itself: there is no gradient through a cycle}}
    %g = weir.gradients %y wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y = weir.mul %g, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}
