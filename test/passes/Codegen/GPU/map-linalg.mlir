// Each structured op becomes one launch, of the form that fits it.
//
// RUN: weir-opt %s --weir-gpu-map-linalg --canonicalize --split-input-file | FileCheck %s

// Element by element: a thread each, as many blocks as the extents ask for.
// CHECK-LABEL: func.func @pointwise
// CHECK:         arith.divui
// CHECK:         gpu.launch blocks({{.+}}) {{.*}}threads({{.+}} = %c256,
// CHECK-NOT:       gpu.barrier
// CHECK:           %[[IN:.+]] = arith.cmpi ult
// CHECK-NEXT:      scf.if %[[IN]] {
// CHECK:             math.sqrt
// CHECK-NEXT:        memref.store
func.func @pointwise(%x: memref<?x4xf32>, %y: memref<?x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.sqrt %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A long row is summed by a block: shuffles in a warp, shared memory between
// warps.
// CHECK-LABEL: func.func @row_sum
// CHECK:         gpu.launch {{.*}} dynamic_shared_memory_size
// CHECK:           scf.for
// CHECK-COUNT-5:   gpu.shuffle xor
// CHECK-NOT:       gpu.shuffle
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             memref.store
func.func @row_sum(%x: memref<8x4096xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x4096xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Shuffles move 32 bits only: other types meet in shared memory.
// CHECK-LABEL: func.func @row_max
// CHECK:         gpu.launch
// CHECK-NOT:       gpu.shuffle
// CHECK-COUNT-6:   gpu.barrier
func.func @row_max(%x: memref<8x100xf64>, %y: memref<8xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x100xf64>) outs(%y : memref<8xf64>) {
  ^bb0(%a: f64, %b: f64):
    %0 = arith.maximumf %a, %b : f64
    linalg.yield %0 : f64
  }
  return
}

// -----

// A short reduction is the loop of a thread.
// CHECK-LABEL: func.func @short
// CHECK:         gpu.launch
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.for {{.*}} = %c0 to %c3
func.func @short(%x: memref<1000x3xf32>, %y: memref<1000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1000x3xf32>) outs(%y : memref<1000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Products of f32 are by multiply and add, of a slice in shared memory; the
// zeros that it starts from need no launch.
// CHECK-LABEL: func.func @matmul
// CHECK-COUNT-1: gpu.launch
// CHECK:           memref.view %{{.+}} : memref<?xi8, #gpu.address_space<workgroup>> to memref<16x64xf32
// CHECK:           scf.for
// CHECK:             gpu.barrier
// CHECK:             scf.for
// CHECK:               arith.mulf
// CHECK:             gpu.barrier
// CHECK-NOT:     gpu.launch
// CHECK-NOT:     nvgpu.mma.sync
func.func @matmul(%a: memref<?x64xf32>, %b: memref<64x96xf32>, %c: memref<?x96xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x96xf32>)
  linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
  return
}

// -----

// Products of bf16 with sums of f32 are matrix instructions.
// CHECK-LABEL: func.func @matmul_bf16
// CHECK:         gpu.launch
// CHECK-COUNT-4:   nvgpu.mma.sync({{.+}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
func.func @matmul_bf16(%a: memref<?x64xbf16>, %b: memref<64x96xbf16>, %c: memref<?x96xf32>) {
  linalg.matmul ins(%a, %b : memref<?x64xbf16>, memref<64x96xbf16>) outs(%c : memref<?x96xf32>)
  return
}

// -----

// Those of f32 are so where the module allows tf32.
// CHECK-LABEL: func.func @matmul_tf32
// CHECK-COUNT-8: nvgpu.mma.sync({{.+}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>)
module attributes {rt.gpu = {tf32}} {
  func.func @matmul_tf32(%a: memref<?x64xf32>, %b: memref<64x96xf32>, %c: memref<?x96xf32>) {
    linalg.matmul ins(%a, %b : memref<?x64xf32>, memref<64x96xf32>) outs(%c : memref<?x96xf32>)
    return
  }
}

// -----

// A convolution is a contraction: three loops are its terms.
// CHECK-LABEL: func.func @conv
// CHECK:         gpu.launch
// CHECK:           memref.view
// CHECK:           scf.for
// CHECK:             gpu.barrier
func.func @conv(%x: memref<?x30x30x8xf32>, %w: memref<3x3x8x16xf32>, %y: memref<?x28x28x16xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<?x30x30x8xf32>, memref<3x3x8x16xf32>) outs(%y : memref<?x28x28x16xf32>)
  return
}

// -----

// A scatter's loop runs in the kernel: one launch, whose threads share the
// columns.
// CHECK-LABEL: func.func @scatter
// CHECK-NOT:     scf.for
// CHECK:         gpu.launch
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             scf.for
// CHECK:               arith.addf
// CHECK-NOT:     gpu.launch
func.func @scatter(%indices: memref<?xi32>, %updates: memref<?x16xf32>, %out: memref<10x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %indices, %c0 : memref<?xi32>
  scf.for %i = %c0 to %rows step %c1 {
    %0 = memref.load %indices[%i] : memref<?xi32>
    %to = arith.index_cast %0 : i32 to index
    %from = memref.subview %updates[%i, 0] [1, 16] [1, 1] : memref<?x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %row = memref.subview %out[%to, 0] [1, 16] [1, 1] : memref<10x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%from : memref<16xf32, strided<[1], offset: ?>>) outs(%row : memref<16xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  }
  return
}

// -----

// A copy is a launch, too.
// CHECK-LABEL: func.func @copy
// CHECK-NOT:     memref.copy
// CHECK:         gpu.launch
func.func @copy(%x: memref<4x5xf32>, %y: memref<4x5xf32, strided<[10, 1]>>) {
  memref.copy %x, %y : memref<4x5xf32> to memref<4x5xf32, strided<[10, 1]>>
  return
}
