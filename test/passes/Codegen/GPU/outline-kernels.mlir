// Launches become functions; equal ones become one.
//
// RUN: weir-opt %s --weir-gpu-outline-kernels | FileCheck %s

// CHECK-LABEL: func.func @host
// CHECK-SAME:    %[[A:.+]]: memref<?xf32>, %[[B:.+]]: memref<?xf32>, %[[N:.+]]: index
// CHECK:         rt.gpu_launch @weir_gpu_code::@k_add_1 blocks(%[[N]], %{{.+}}, %{{.+}}) threads(%[[T:.+]], %{{.+}}, %{{.+}}) shared 64(%[[N]], %[[A]] : index, memref<?xf32>) "'add' at x.mlir:1"
// CHECK-NEXT:    rt.gpu_launch @weir_gpu_code::@k_add_1 blocks(%[[N]], %{{.+}}, %{{.+}}) threads(%[[T]], %{{.+}}, %{{.+}}) shared 64(%[[N]], %[[B]] : index, memref<?xf32>) "'add' at x.mlir:2"
func.func @host(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %bytes = arith.constant 64 : i32
  %v = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %bytes {
    %0 = arith.addi %tx, %n : index
    memref.store %v, %a[%0] : memref<?xf32>
    gpu.terminator
  } {rt.kernel = "add.1", rt.node = "'add' at x.mlir:1"}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) dynamic_shared_memory_size %bytes {
    %0 = arith.addi %tx, %n : index
    memref.store %v, %b[%0] : memref<?xf32>
    gpu.terminator
  } {rt.kernel = "add.1", rt.node = "'add' at x.mlir:2"}
  return
}

// A constant that a kernel reads stands beside it.
// CHECK-LABEL: func.func @table
// CHECK-NOT:     memref.get_global
// CHECK:         rt.gpu_launch
// CHECK:       gpu.module @weir_gpu_code {
// CHECK-NEXT:    memref.global "private" constant @c : memref<2xf32>
// CHECK:         gpu.func @k_add_1(%[[ARG:.+]]: index, %[[M:.+]]: memref<?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
// CHECK:           gpu.thread_id x
// CHECK:           memref.store
// CHECK:           gpu.return
// CHECK:         gpu.func @k_table(
// CHECK:           memref.get_global @c
// CHECK-NOT:     gpu.func
memref.global "private" constant @c : memref<2xf32> = dense<[1.0, 2.0]>
func.func @table(%m: memref<2xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
    %c = memref.get_global @c : memref<2xf32>
    %0 = memref.load %c[%tx] : memref<2xf32>
    memref.store %0, %m[%tx] : memref<2xf32>
    gpu.terminator
  } {rt.kernel = "table", rt.node = "'table'"}
  return
}
