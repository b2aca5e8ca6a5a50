// An assembler that is not there, or that refuses, is an error that says so.
//
// RUN: weir-opt %s --weir-gpu-compile-kernels -split-input-file -verify-diagnostics

module attributes {rt.gpu = {architectures = [80], ptxas = "/no/such/ptxas"}} {
  // expected-error-re@below {{[WEIR0154] no code for the GPU kernels of 'code': /no/such/ptxas -arch=sm_80: {{.+}}}}
  gpu.module @code {
    gpu.func @k() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }
  }
}

// -----

// A remark where there is no assembler.
module attributes {rt.gpu = {architectures = [80], ptxas = "none"}} {
  // expected-remark@below {{there is no ptxas here: the program has PTX only}}
  gpu.module @code {
    gpu.func @k() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }
  }
}
