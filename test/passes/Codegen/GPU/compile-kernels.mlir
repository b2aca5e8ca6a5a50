// Kernels become PTX that names what they take: the address of a buffer, then
// its extents.
//
// RUN: weir-opt %s --weir-gpu-compile-kernels=ptx-file=%t.ptx | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// CHECK:     rt.gpu_module @code ["k_scale", "k_dot"] images [{{.*}}] ptx "//
// CHECK-NOT: gpu.func

// PTX:       .target sm_80
// PTX:       .visible .entry k_scale(
// PTX-NEXT:    .param .u64 .ptr .align 1 k_scale_param_0,
// PTX-NEXT:    .param .u64 k_scale_param_1
// PTX-NEXT:  )
// PTX-NEXT:  .maxntid 64, 1, 1
// PTX:         ld.global.b32
// PTX:         st.global.b32
// PTX:       .visible .entry k_dot(
// PTX:         mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
module attributes {rt.gpu = {architectures = [80], ptxas = "none"}} {
  gpu.module @code {
    gpu.func @k_scale(%m: memref<?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %t = gpu.thread_id x
      %v = memref.load %m[%t] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %m[%t] : memref<?xf32>
      gpu.return
    }
    gpu.func @k_dot(%m: memref<4xf32>, %x: bf16) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %a = vector.broadcast %x : bf16 to vector<4x2xbf16>
      %b = vector.broadcast %x : bf16 to vector<2x2xbf16>
      %c = arith.constant dense<0.0> : vector<2x2xf32>
      %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %e = vector.extract %d[0, 1] : f32 from vector<2x2xf32>
      memref.store %e, %m[%c0] : memref<4xf32>
      gpu.return
    }
  }
}
