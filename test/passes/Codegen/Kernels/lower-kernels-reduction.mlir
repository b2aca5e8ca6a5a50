// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-codegen-lower-kernels))' | FileCheck %s
// Reductions run across lanes or along them, always in an order that the number
// of threads does not change.

// Along the reduction: four vectors of partial sums, joined by a fixed tree.
// CHECK-LABEL: func.func @along
// CHECK:         scf.for
// CHECK:           %[[SUM:.+]]:2 = scf.for {{.*}} iter_args({{.*}}) -> (vector<32xf32>, f32)
// CHECK:             arith.addf {{.*}} : vector<32xf32>
// CHECK:           arith.addf {{.*}} : vector<16xf32>
// CHECK:           arith.addf {{.*}} : vector<8xf32>
// CHECK:           arith.addf {{.*}} : vector<4xf32>
// CHECK:           memref.store
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @along(%x: memref<?x128xf32>, %y: memref<?xf32>) {
    linalg.reduce { arith.addf } ins(%x : memref<?x128xf32>) outs(%y : memref<?xf32>) dimensions = [1]
    return
  }
}

// -----

// Across: each lane adds its own column, row after row.
// CHECK-LABEL: func.func @across
// CHECK:         %[[INIT:.+]] = vector.load {{.*}} vector<32xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.+]] = %[[INIT]])
// CHECK:           %[[V:.+]] = vector.load
// CHECK:           arith.addf %[[ACC]], %[[V]] : vector<32xf32>
// CHECK:         vector.store
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @across(%x: memref<?x64xf32>, %y: memref<64xf32>) {
    linalg.reduce { arith.addf } ins(%x : memref<?x64xf32>) outs(%y : memref<64xf32>) dimensions = [0]
    return
  }
}

// -----

// A body that is no single combiner (the place of the maximum) runs across lanes,
// one row of the input in each.
// CHECK-LABEL: func.func @argmax
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<{{[0-9]+}}xf32>, vector<{{[0-9]+}}xi32>)
// CHECK:           arith.cmpf ogt, {{.*}} : vector
// CHECK:           arith.select {{.*}} vector
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @argmax(%x: memref<?x10xf32>, %v: memref<?xf32>, %p: memref<?xi32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                    iterator_types = ["parallel", "reduction"]}
        ins(%x : memref<?x10xf32>) outs(%v, %p : memref<?xf32>, memref<?xi32>) {
    ^bb0(%a: f32, %best: f32, %at: i32):
      %j = linalg.index 1 : index
      %k = arith.index_cast %j : index to i32
      %c = arith.cmpf ogt, %a, %best : f32
      %m = arith.select %c, %a, %best : f32
      %n = arith.select %c, %k, %at : i32
      linalg.yield %m, %n : f32, i32
    }
    return
  }
}

// -----

// Threads take rows, never parts of one sum.
// CHECK-LABEL: func.func @threads
// CHECK:         scf.parallel
// CHECK:           scf.for {{.*}} iter_args(
// CHECK:           memref.store
// CHECK:           scf.reduce
// CHECK-NEXT:    }
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32, threads = 2}} {
  func.func @threads(%x: memref<1024x1024xf32>, %y: memref<1024xf32>) {
    linalg.reduce { arith.addf } ins(%x : memref<1024x1024xf32>) outs(%y : memref<1024xf32>) dimensions = [1]
    return
  }
}
