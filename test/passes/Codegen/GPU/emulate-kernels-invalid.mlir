// Threads that meet where not all of them go cannot be emulated.
//
// RUN: weir-opt %s --weir-gpu-emulate-kernels -split-input-file -verify-diagnostics

module attributes {rt.gpu = {emulate}} {
  gpu.module @code {
    gpu.func @some(%m: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c4 = arith.constant 4 : index
      %t = gpu.thread_id x
      %few = arith.cmpi ult, %t, %c4 : index
      // expected-error@below {{[WEIR0156] internal: threads of GPU kernel 'some' meet where only some of them go}}
      scf.if %few {
        gpu.barrier
      }
      gpu.return
    }
  }
}

// -----

module attributes {rt.gpu = {emulate}} {
  gpu.module @code {
    gpu.func @lengths(%m: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      // expected-error@below {{[WEIR0156] internal: threads of GPU kernel 'lengths' meet in a loop of different lengths}}
      scf.for %i = %c0 to %t step %c1 {
        gpu.barrier
      }
      gpu.return
    }
  }
}

// -----

module attributes {rt.gpu = {emulate}} {
  gpu.module @code {
    // expected-error@below {{[WEIR0156] internal: GPU kernel 'plane' has no known block of one dimension}}
    gpu.func @plane() kernel attributes {known_block_size = array<i32: 8, 8, 1>} {
      gpu.return
    }
  }
}
