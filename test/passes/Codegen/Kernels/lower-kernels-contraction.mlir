// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-codegen-lower-kernels))' | FileCheck %s
// Contractions keep a tile of the output in registers while the reduction runs.


// AVX2 has room for 6 rows of 2 vectors. The fill before is the accumulators'
// start; b is packed once; 16 = 2 * 6 + 4 rows.
// CHECK-LABEL: func.func @avx2
// CHECK-NOT:     linalg
// CHECK:         %[[PANELS:.+]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK:         vector.store %{{.+}}, %[[PANELS]]
// CHECK:         %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK:         scf.for {{.*}} iter_args(%{{.+}} = %[[ZERO]],
// CHECK-COUNT-12:  vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-COUNT-8:   vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
// CHECK:         memref.dealloc %[[PANELS]]
// CHECK-NOT:     linalg
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @avx2(%a: memref<64x32xf32>, %b: memref<32x32xf32>, %c: memref<64x32xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<64x32xf32>)
    linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x32xf32>) outs(%c : memref<64x32xf32>)
    return
  }
}

// -----

// AVX-512 has room for 12 rows of 2 vectors.
// CHECK-LABEL: func.func @avx512
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-COUNT-24:  vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT:       vector.fma
// CHECK:           scf.yield
module attributes {rt.target = {features = "+avx512f", vector_bytes = 64, vector_registers = 32}} {
  func.func @avx512(%a: memref<48x64xf32>, %b: memref<64x64xf32>, %c: memref<48x64xf32>) {
    linalg.matmul ins(%a, %b : memref<48x64xf32>, memref<64x64xf32>) outs(%c : memref<48x64xf32>)
    return
  }
}

// -----

// Without a fused multiply-add in the CPU there is none in the code: it would be
// a call for each element.
// CHECK-LABEL: func.func @sse
// CHECK-NOT:     vector.fma
// CHECK:         arith.mulf {{.*}} : vector<4xf32>
// CHECK-NOT:     vector.fma
module {
  func.func @sse(%a: memref<16x64xf32>, %b: memref<64x64xf32>, %c: memref<16x64xf32>) {
    linalg.matmul ins(%a, %b : memref<16x64xf32>, memref<64x64xf32>) outs(%c : memref<16x64xf32>)
    return
  }
}

// -----

// A dynamic count of rows: full tiles, then tiles of 4, 2, and 1 rows.
// CHECK-LABEL: func.func @dynamic_rows
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-COUNT-12:  vector.fma
// CHECK:           scf.yield
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-COUNT-8:   vector.fma
// CHECK:           scf.yield
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-COUNT-4:   vector.fma
// CHECK:           scf.yield
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-COUNT-2:   vector.fma
// CHECK:           scf.yield
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @dynamic_rows(%a: memref<?x32xf32>, %b: memref<32x32xf32>, %c: memref<?x32xf32>) {
    linalg.matmul ins(%a, %b : memref<?x32xf32>, memref<32x32xf32>) outs(%c : memref<?x32xf32>)
    return
  }
}

// -----

// Columns past the last whole vector are masked where the output is touched, and
// only there: the panels are padded.
// CHECK-LABEL: func.func @ragged_columns
// CHECK:         %[[PANELS:.+]] = memref.alloc
// CHECK:         vector.store %{{.+}}, %[[PANELS]]
// CHECK:         %[[MASK:.+]] = vector.constant_mask [2] : vector<8xi1>
// CHECK:         vector.maskedload %{{.+}}[%{{.+}}], %[[MASK]]
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-NOT:       masked
// CHECK:           vector.load %[[PANELS]]
// CHECK-NOT:       masked
// CHECK:           scf.yield
// CHECK:         vector.maskedstore %{{.+}}[%{{.+}}], %[[MASK]]
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @ragged_columns(%a: memref<64x32xf32>, %b: memref<32x10xf32>, %c: memref<64x10xf32>) {
    linalg.matmul ins(%a, %b : memref<64x32xf32>, memref<32x10xf32>) outs(%c : memref<64x10xf32>)
    return
  }
}

// -----

// A right side that lies along the reduction is transposed in registers as it is
// packed: vector loads, shuffles, vector stores.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @transposed_b
// CHECK-COUNT-8: vector.load {{.*}} : memref<1024xf32>, vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK:         vector.store
// CHECK:         vector.fma
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @transposed_b(%a: memref<64x32xf32>, %b: memref<32x32xf32>, %c: memref<64x32xf32>) {
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<64x32xf32>, memref<32x32xf32>) outs(%c : memref<64x32xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
    }
    return
  }
}

// -----

// A convolution is the same: its rows are a line of the image, its reduction the
// window, of which the columns and channels are one loop.
// CHECK-LABEL: func.func @convolution
// CHECK-DAG:     %[[WINDOW:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[LINE:.+]] = arith.constant 48 : index
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[WINDOW]] {{.*}} iter_args(
// CHECK:           scf.for %{{.+}} = %{{.+}} to %[[LINE]] {{.*}} iter_args(
// CHECK-COUNT-12:    vector.fma
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @convolution(%x: memref<8x14x14x16xf32>, %f: memref<3x3x16x32xf32>, %y: memref<8x12x12x32xf32>) {
    linalg.conv_2d_nhwc_hwcf ins(%x, %f : memref<8x14x14x16xf32>, memref<3x3x16x32xf32>)
                             outs(%y : memref<8x12x12x32xf32>)
    return
  }
}

// -----

// Integers multiply and add in the accumulator's type; b is widened as it is
// packed.
// CHECK-LABEL: func.func @integers
// CHECK:         arith.extsi {{.*}} : vector<8xi16> to vector<8xi32>
// CHECK:         scf.for {{.*}} iter_args(
// CHECK:           arith.extsi {{.*}} : i16 to i32
// CHECK:           arith.muli {{.*}} : vector<8xi32>
// CHECK:           arith.addi {{.*}} : vector<8xi32>
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @integers(%a: memref<64x32xi16>, %b: memref<32x32xi16>, %c: memref<64x32xi32>) {
    linalg.matmul ins(%a, %b : memref<64x32xi16>, memref<32x32xi16>) outs(%c : memref<64x32xi32>)
    return
  }
}

// -----

// Threads share the panels out once, around packing and all blocks of the
// reduction.
// CHECK-LABEL: func.func @threads
// CHECK:         memref.alloc
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             vector.fma
// CHECK:           scf.reduce
// CHECK-NOT:     scf.parallel
// CHECK:         memref.dealloc
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32, threads = 2}} {
  func.func @threads(%a: memref<256x1024xf32>, %b: memref<1024x256xf32>, %c: memref<256x256xf32>) {
    linalg.matmul ins(%a, %b : memref<256x1024xf32>, memref<1024x256xf32>) outs(%c : memref<256x256xf32>)
    return
  }
}

// -----

// A product too small for a fork stays in one thread.
// CHECK-LABEL: func.func @too_small
// CHECK-NOT:     scf.parallel
// CHECK:         return
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32, threads = 2}} {
  func.func @too_small(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32>) {
    linalg.matmul ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>)
    return
  }
}

// -----

// What follows element by element is done while the tile is in registers: bias and
// relu into a second buffer, and which elements were positive into a third. With
// 784 summands that is after the last of two blocks.
// CHECK-LABEL: func.func @epilogues
// CHECK:         %[[PANELS:.+]] = memref.alloc
// CHECK:         scf.for
// CHECK:           %[[LAST:.+]] = arith.cmpi uge
// CHECK:           scf.for {{.*}} iter_args(
// CHECK:             vector.fma
// CHECK:           scf.if %[[LAST]] {
// CHECK:             arith.addf {{.*}} : vector<8xf32>
// CHECK:             arith.maximumf {{.*}} : vector<8xf32>
// CHECK:             vector.store
// CHECK:             arith.cmpf ogt, {{.*}} : vector<8xf32>
// CHECK:             vector.store {{.*}} vector<8xi8>
// CHECK:         memref.dealloc %[[PANELS]]
// CHECK-NOT:     arith.cmpf
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @epilogues(%a: memref<?x784xf32>, %b: memref<784x32xf32>, %bias: memref<32xf32>, %n: index)
      -> (memref<?x32xf32>, memref<?x32xi8>) {
    %zero = arith.constant 0.0 : f32
    %c = memref.alloc(%n) : memref<?x32xf32>
    linalg.fill ins(%zero : f32) outs(%c : memref<?x32xf32>)
    linalg.matmul ins(%a, %b : memref<?x784xf32>, memref<784x32xf32>) outs(%c : memref<?x32xf32>)
    %r = memref.alloc(%n) : memref<?x32xf32>
    linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%c, %bias : memref<?x32xf32>, memref<32xf32>) outs(%r : memref<?x32xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      %m = arith.maximumf %s, %zero : f32
      linalg.yield %m : f32
    }
    %p = memref.alloc(%n) : memref<?x32xi8>
    linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%c, %bias : memref<?x32xf32>, memref<32xf32>) outs(%p : memref<?x32xi8>) {
    ^bb0(%x: f32, %y: f32, %o: i8):
      %s = arith.addf %x, %y : f32
      %t = arith.cmpf ogt, %s, %zero : f32
      %u = arith.extui %t : i1 to i8
      linalg.yield %u : i8
    }
    memref.dealloc %c : memref<?x32xf32>
    return %r, %p : memref<?x32xf32>, memref<?x32xi8>
  }
}

// -----

// What changes the buffer in between must not be overtaken.
// CHECK-LABEL: func.func @overtaking
// CHECK:         vector.fma
// CHECK:         memref.store
// CHECK:         math.absf
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @overtaking(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>, %v: f32) {
    %i = arith.constant 3 : index
    linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>)
    memref.store %v, %c[%i, %i] : memref<16x16xf32>
    linalg.map { math.absf } ins(%c : memref<16x16xf32>) outs(%c : memref<16x16xf32>)
    return
  }
}

// -----

// int8 in sums of i32: an instruction does two iterations of the reduction, on pairs of i16 that a panel has in 32 bits.
// CHECK-LABEL: func.func @int8
// CHECK:         %[[PANELS:.+]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?xi32>
// CHECK:         %[[FIRST:.+]] = arith.andi %{{.+}}, %{{.+}} : vector<8xi32>
// CHECK:         %[[SECOND:.+]] = arith.shli %{{.+}}, %{{.+}} : vector<8xi32>
// CHECK:         %[[PAIR:.+]] = arith.ori %[[FIRST]], %[[SECOND]] : vector<8xi32>
// CHECK:         vector.store %[[PAIR]], %[[PANELS]]
// CHECK:         scf.for {{.*}} iter_args(
// CHECK-COUNT-12:  llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK-NOT:       llvm.call_intrinsic
// CHECK:           scf.yield
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @int8(%a: memref<60x32xi8>, %b: memref<32x32xi8>, %c: memref<60x32xi32>) {
    linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<60x32xi8>, memref<32x32xi8>) outs(%c : memref<60x32xi32>) {
    ^bb0(%x: i8, %w: i8, %sum: i32):
      %wide_x = arith.extsi %x : i8 to i32
      %wide_w = arith.extsi %w : i8 to i32
      %product = arith.muli %wide_x, %wide_w : i32
      %next = arith.addi %sum, %product : i32
      linalg.yield %next : i32
    }
    return
  }
}

// -----

// An odd number of iterations has no pairs.
// CHECK-LABEL: func.func @odd
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         arith.muli {{.*}} : vector<8xi32>
// CHECK-NOT:     llvm.call_intrinsic
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#sums = affine_map<(m, n, k) -> (m, n)>
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @odd(%a: memref<60x33xi8>, %b: memref<33x32xi8>, %c: memref<60x32xi32>) {
    linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<60x33xi8>, memref<33x32xi8>) outs(%c : memref<60x32xi32>) {
    ^bb0(%x: i8, %w: i8, %sum: i32):
      %wide_x = arith.extsi %x : i8 to i32
      %wide_w = arith.extsi %w : i8 to i32
      %product = arith.muli %wide_x, %wide_w : i32
      %next = arith.addi %sum, %product : i32
      linalg.yield %next : i32
    }
    return
  }
}
