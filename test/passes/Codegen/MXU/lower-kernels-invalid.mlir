// What the accelerator cannot run is an error at its node.
//
// RUN: weir-opt %s --weir-mxu-lower-kernels -split-input-file -verify-diagnostics

// A row has a size.
module {
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x?xi8>
    %w = rt.feed 1 : tensor<8x2xi8>
    %g = weir.group "k" -> tensor<?x2xi8> {
      %b = weir.constant dense<1> : tensor<2xi32>
      // expected-error@below {{[WEIR0160] the accelerator cannot run node 'weir.quantized_matmul': it works on ?x?, of which one row has no known size}}
      %y = weir.quantized_matmul %x, %w, %b {input_zero = 0 : i32, multipliers = array<i32: 1>, shifts = array<i32: 1>, output_zero = 0 : i32} : (tensor<?x?xi8>, tensor<8x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
      weir.yield %y : tensor<?x2xi8>
    }
    rt.fetch 0, %g : tensor<?x2xi8>
    return %ok : i32
  }
}

// -----

// A batch is fed.
module {
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %w = rt.feed 0 : tensor<8x2xi8>
    %g = weir.group "k" -> tensor<4x2xi8> {
      %x = weir.constant dense<1> : tensor<4x8xi8>
      %b = weir.constant dense<1> : tensor<2xi32>
      // expected-error@below {{[WEIR0160] the accelerator cannot run node 'weir.quantized_matmul': it works on the rows of a constant, which are there without it}}
      %y = weir.quantized_matmul %x, %w, %b {input_zero = 0 : i32, multipliers = array<i32: 1>, shifts = array<i32: 1>, output_zero = 0 : i32} : (tensor<4x8xi8>, tensor<8x2xi8>, tensor<2xi32>) -> tensor<4x2xi8>
      weir.yield %y : tensor<4x2xi8>
    }
    rt.fetch 0, %g : tensor<4x2xi8>
    return %ok : i32
  }
}

// -----

// Weights are constants, or come from elsewhere.
module {
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<8x2xi8>
    %w = rt.feed 1 : tensor<2x2xi8>
    %z = rt.feed 2 : tensor<?x8xi8>
    %g = weir.group "k" -> tensor<?x2xi8> {
      %c = weir.constant dense<1> : tensor<2xi32>
      %p = weir.quantized_matmul %x, %w, %c {input_zero = 0 : i32, multipliers = array<i32: 1>, shifts = array<i32: 1>, output_zero = 0 : i32} : (tensor<8x2xi8>, tensor<2x2xi8>, tensor<2xi32>) -> tensor<8x2xi8>
      %b = weir.constant dense<1> : tensor<2xi32>
      // expected-error@below {{it takes weights that another node of the accelerator computes}}
      %y = weir.quantized_matmul %z, %p, %b {input_zero = 0 : i32, multipliers = array<i32: 1>, shifts = array<i32: 1>, output_zero = 0 : i32} : (tensor<?x8xi8>, tensor<8x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
      weir.yield %y : tensor<?x2xi8>
    }
    rt.fetch 0, %g : tensor<?x2xi8>
    return %ok : i32
  }
}

// -----

// Weights have a size.
module {
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x8xi8>
    %w = rt.feed 1 : tensor<?x2xi8>
    %g = weir.group "k" -> tensor<?x2xi8> {
      %b = weir.constant dense<1> : tensor<2xi32>
      // expected-error@below {{it has weights of an extent that only the run knows}}
      %y = weir.quantized_matmul %x, %w, %b {input_zero = 0 : i32, multipliers = array<i32: 1>, shifts = array<i32: 1>, output_zero = 0 : i32} : (tensor<?x8xi8>, tensor<?x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
      weir.yield %y : tensor<?x2xi8>
    }
    rt.fetch 0, %g : tensor<?x2xi8>
    return %ok : i32
  }
}

// -----

// One row and its result fit the buffer.
module attributes {rt.mxu = "32x32"} {
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x1048544xi8>
    %w = rt.feed 1 : tensor<1048544x33xi8>
    %g = weir.group "k" -> tensor<?x33xi8> {
      %b = weir.constant dense<1> : tensor<33xi32>
      // expected-error@below {{it needs 1048608 bytes of the unified buffer for one row of its batch, which has 1048576}}
      %y = weir.quantized_matmul %x, %w, %b {input_zero = 0 : i32, multipliers = array<i32: 1>, shifts = array<i32: 1>, output_zero = 0 : i32} : (tensor<?x1048544xi8>, tensor<1048544x33xi8>, tensor<33xi32>) -> tensor<?x33xi8>
      weir.yield %y : tensor<?x33xi8>
    }
    rt.fetch 0, %g : tensor<?x33xi8>
    return %ok : i32
  }
}

// -----

// Rows stay rows.
module {
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x8xi8>
    %g = weir.group "k" -> tensor<?x4xi8> {
      // expected-error@below {{[WEIR0160] the accelerator cannot run node 'weir.reshape': it makes other rows of ?x8}}
      %y = weir.reshape %x {shape = array<i64: -1, 4>} : (tensor<?x8xi8>) -> tensor<?x4xi8>
      weir.yield %y : tensor<?x4xi8>
    }
    rt.fetch 0, %g : tensor<?x4xi8>
    return %ok : i32
  }
}

// -----

// Other nodes have no instructions.
module {
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x8xi8>
    %g = weir.group "k" -> tensor<?x8xi8> {
      // expected-error@below {{[WEIR0160] the accelerator cannot run node 'weir.neg': it is none of the nodes that it has instructions for}}
      %y = weir.neg %x : (tensor<?x8xi8>) -> tensor<?x8xi8>
      weir.yield %y : tensor<?x8xi8>
    }
    rt.fetch 0, %g : tensor<?x8xi8>
    return %ok : i32
  }
}

// -----

// A row that is only handed on has to fit too.
module attributes {rt.mxu = "32x32"} {
  // expected-error@below {{[WEIR0161] kernel 'k' at}}
  func.func @k(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:MXU:0"} {
    %ok = arith.constant 0 : i32
    %x = rt.feed 0 : tensor<?x1048577xi8>
    %g = weir.group "k" -> tensor<?x1048577xi8> {
      weir.yield %x : tensor<?x1048577xi8>
    }
    rt.fetch 0, %g : tensor<?x1048577xi8>
    return %ok : i32
  }
}

// -----

// There are three machines.
// expected-error@below {{[WEIR0163] 'rt.mxu' is "48x48"; there are accelerators of "32x32", "128x128" and "256x256"}}
module attributes {rt.mxu = "48x48"} {
}
