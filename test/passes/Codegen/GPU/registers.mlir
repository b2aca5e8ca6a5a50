// No kernel of a training step spills registers, for any architecture.
//
// REQUIRES: ptxas
// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-gpu-map-linalg),canonicalize,weir-gpu-outline-kernels,gpu.module(gpu.func(weir-codegen-expand-math)),canonicalize,cse,weir-gpu-compile-kernels{ptx-file=%t.ptx})' -o /dev/null
// RUN: %python %weir_src/scripts/gpu_registers.py %t.ptx | FileCheck %s

// CHECK:      architecture kernels most registers spilling
// CHECK-NEXT: sm_80 4 {{[0-9]+}} 0{{$}}
// CHECK-NEXT: sm_90a 4 {{[0-9]+}} 0{{$}}
// CHECK-NEXT: sm_100 4 {{[0-9]+}} 0{{$}}
module attributes {rt.gpu = {architectures = [80], ptxas = "none"}} {
  func.func @step(%a: memref<?x64xf32>, %b: memref<64x96xf32>, %c: memref<?x96xf32>, %d: memref<?x64xbf16>, %e: memref<64x96xbf16>,
                  %image: memref<8x30x30x8xf32>, %filter: memref<3x3x8x16xf32>, %y: memref<8x28x28x16xf32>, %sum: memref<96xf32>) {
    linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
    linalg.matmul ins(%d, %e : memref<?x64xbf16>, memref<64x96xbf16>) outs(%c : memref<?x96xf32>)
    linalg.conv_2d_nhwc_hwcf ins(%image, %filter : memref<8x30x30x8xf32>, memref<3x3x8x16xf32>) outs(%y : memref<8x28x28x16xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%c : memref<?x96xf32>) outs(%sum : memref<96xf32>) {
    ^bb0(%x: f32, %s: f32):
      %0 = math.exp %x : f32
      %1 = arith.addf %s, %0 : f32
      linalg.yield %1 : f32
    }
    return
  }
}
