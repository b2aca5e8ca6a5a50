// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-codegen-lower-kernels))' | FileCheck %s
// Elementwise ops become one vector loop along what the outputs have contiguous.

// Contiguous loops merge, dynamic extents too; the tail is one masked step.
// CHECK-LABEL: func.func @merged
// CHECK-SAME:    %[[X:.+]]: memref<?x?xf32>, %[[Y:.+]]: memref<?x?xf32>
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:           vector.load {{.*}} : memref<?xf32>, vector<8xf32>
// CHECK:           math.exp {{.*}} : vector<8xf32>
// CHECK:           vector.store
// CHECK:         scf.if
// CHECK:           %[[MASK:.+]] = vector.create_mask
// CHECK:           vector.maskedload %{{.+}}[%{{.+}}], %[[MASK]]
// CHECK:           vector.maskedstore %{{.+}}[%{{.+}}], %[[MASK]]
// CHECK-NOT:     linalg
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @merged(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    linalg.map { math.exp } ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
    return
  }
}

// -----

// A static tail without masks takes smaller vectors: 13 = 4 + 4 + 4 + 1.
// CHECK-LABEL: func.func @static_tail
// CHECK:         scf.for
// CHECK:           vector.load {{.*}} vector<4xf32>
// CHECK:           vector.store
// CHECK:         memref.load
// CHECK:         memref.store
// CHECK-NOT:     masked
module {
  func.func @static_tail(%x: memref<13xf32>, %y: memref<13xf32>) {
    linalg.map { math.absf } ins(%x : memref<13xf32>) outs(%y : memref<13xf32>)
    return
  }
}

// -----

// A bias is one value for a row where the row is the vector's way, and a vector
// where it goes along.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
// CHECK-LABEL: func.func @broadcasts
// CHECK-SAME:    %[[R:.+]]: memref<16xf32>, %[[C:.+]]: memref<64xf32>
// CHECK:         scf.for
// CHECK:           %[[S:.+]] = memref.load %[[R]]
// CHECK:           %[[V:.+]] = vector.broadcast %[[S]] : f32 to vector<8xf32>
// CHECK:           scf.for
// CHECK:             %[[W:.+]] = vector.load %[[C]]
// CHECK:             arith.addf %[[V]], %[[W]]
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @broadcasts(%r: memref<16xf32>, %c: memref<64xf32>, %y: memref<16x64xf32>) {
    linalg.generic {indexing_maps = [#row, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%r, %c : memref<16xf32>, memref<64xf32>) outs(%y : memref<16x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
    return
  }
}

// -----

// Transposes go by square blocks in registers.
// CHECK-LABEL: func.func @transpose
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @transpose(%x: memref<32x64xf32>, %y: memref<64x32xf32>) {
    linalg.transpose ins(%x : memref<32x64xf32>) outs(%y : memref<64x32xf32>) permutation = [1, 0]
    return
  }
}

// -----

// A row picked by an index is read as vectors.
// CHECK-LABEL: func.func @gather_rows
// CHECK-SAME:    %[[TABLE:.+]]: memref<100x64xf32>
// CHECK:         vector.load %[[TABLE]]
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @gather_rows(%table: memref<100x64xf32>, %ids: memref<7xi32>, %y: memref<7x64xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
        ins(%ids : memref<7xi32>) outs(%y : memref<7x64xf32>) {
    ^bb0(%id: i32, %o: f32):
      %i = arith.index_cast %id : i32 to index
      %j = linalg.index 1 : index
      %v = memref.load %table[%i, %j] : memref<100x64xf32>
      linalg.yield %v : f32
    }
    return
  }
}

// -----

// A copy of a strided window: rows of vectors.
// CHECK-LABEL: func.func @copy
// CHECK-NOT:     memref.copy
// CHECK:         scf.for
// CHECK:           vector.load
// CHECK:           vector.store
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @copy(%x: memref<8x32xf32, strided<[100, 1], offset: 3>>, %y: memref<8x32xf32>) {
    memref.copy %x, %y : memref<8x32xf32, strided<[100, 1], offset: 3>> to memref<8x32xf32>
    return
  }
}

// -----

// Much data is shared between threads, in chunks of whole vectors.
// CHECK-LABEL: func.func @threads
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             vector.store
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32, threads = 2}} {
  func.func @threads(%x: memref<1024x1024xf32>, %y: memref<1024x1024xf32>) {
    linalg.map { math.absf } ins(%x : memref<1024x1024xf32>) outs(%y : memref<1024x1024xf32>)
    return
  }
}
