// RUN: weir-opt %s --weir-autodiff-verify --split-input-file --verify-diagnostics
// After autodiff no request is left.

// A graph without requests passes.
module {
  weir.graph @plain(%x: tensor<f32>) -> tensor<f32> {
    weir.fetch %x : tensor<f32>
  }
}

// -----

// A request that somebody put there later is reported where it stands.
module {
  weir.graph @left(%x: tensor<f32>) -> tensor<f32> {
    // expected-error@below {{[WEIR0131] is left after autodiff; expand it with --weir-autodiff-expand-gradients}}
    %g = weir.gradients %x wrt(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}
