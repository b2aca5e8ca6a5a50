// weir-quantize-post-training: what ends in an error, and what only stays as it is.
//
// RUN: weir-opt %s --weir-quantize-post-training --split-input-file --verify-diagnostics

// expected-error@below {{[WEIR0166] nothing here can be done on int8; that takes weir.matmul or weir.conv2d of f32 with constant weights}}
module {
  weir.variable @w : tensor<2x2xf32>
  weir.graph @variable(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %w, %c = weir.read @w : tensor<2x2xf32>
    // expected-note@below {{'fc': its weights are no constant (--restore=PREFIX makes constants of variables)}}
    %y = weir.matmul %x, %w {weir.name = "fc"} : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    weir.fetch %y : tensor<?x2xf32>
  }
}

// -----

// expected-error@below {{[WEIR0166] nothing here can be done on int8}}
module {
  // expected-note@below {{graph '@trained': it has gradients to be expanded}}
  weir.graph @trained(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %w = weir.constant dense<1.0> : tensor<2x2xf32>
    %y = weir.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %g = weir.gradients %y wrt(%x) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    weir.fetch %g : tensor<2x2xf32>
  }
}

// -----

module {
  weir.graph @no_range(%x: tensor<?x2xf32> {weir.name = "x"}) -> tensor<?x2xf32> {
    %w = weir.constant dense<1.0> : tensor<2x2xf32>
    // expected-error@below {{[WEIR0167] feed 'x' has no range; --quantize=samples.npz finds ranges by running the graph}}
    %y = weir.matmul %x, %w {rt.range = array<f64: 0.0, 1.0>} : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    weir.fetch %y : tensor<?x2xf32>
  }
}

// -----

module {
  weir.graph @no_range(%x: tensor<?x2xf32> {rt.range = array<f64: 0.0, 1.0>}) -> tensor<?x2xf32> {
    %w = weir.constant dense<1.0> : tensor<2x2xf32>
    // expected-error@below {{[WEIR0167] the value of 'weir.matmul' has the range 0.000000 to inf; a range has two finite ends, in order}}
    %y = weir.matmul %x, %w {rt.range = array<f64: 0.0, 0x7FF0000000000000>} : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    weir.fetch %y : tensor<?x2xf32>
  }
}

// -----

module {
  weir.graph @weights(%x: tensor<?x2xf32> {rt.range = array<f64: 0.0, 1.0>}) -> tensor<?x2xf32> {
    %w = weir.constant dense<[[1.0, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>
    // expected-error@below {{[WEIR0168] its weights have the element -inf; int8 stands for finite numbers}}
    %y = weir.matmul %x, %w {rt.range = array<f64: 0.0, 1.0>} : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    weir.fetch %y : tensor<?x2xf32>
  }
}

// -----

module {
  weir.graph @bias(%x: tensor<1x1xf32> {rt.range = array<f64: 0.0, 1.0e-30>}) -> tensor<1x1xf32> {
    %w = weir.constant dense<1.0> : tensor<1x1xf32>
    %b = weir.constant dense<1.0e30> : tensor<1xf32>
    // expected-error@below {{[WEIR0168] its bias is so large beside its input that no sum of 32 bits holds it}}
    %p = weir.matmul %x, %w : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %y = weir.add %p, %b {rt.range = array<f64: 0.0, 1.0e30>} : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
    weir.fetch %y : tensor<1x1xf32>
  }
}

// -----

// Where something is done, the rest gets a remark.
module {
  weir.graph @partly(%x: tensor<?x2xf32> {rt.range = array<f64: 0.0, 1.0>}, %v: tensor<2x2xf32>) -> tensor<?x2xf32> {
    %w = weir.constant dense<1.0> : tensor<2x2xf32>
    %y = weir.matmul %x, %w {rt.range = array<f64: 0.0, 1.0>} : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    // expected-remark@below {{stays float: 'weir.matmul': its weights are no constant}}
    %z = weir.matmul %y, %v : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    weir.fetch %z : tensor<?x2xf32>
  }
}
