// RUN: weir-opt %s --weir-codegen-lower-to-linalg --split-input-file | FileCheck %s
// Reductions: loops in the order of the operand, from the neutral element on.

// CHECK-DAG:   #[[IN:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[OUT:.+]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: func.func @sum
// CHECK:         %[[ZERO:.+]] = arith.constant 0.0
// CHECK:         linalg.fill ins(%[[ZERO]]
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[OUT]]], iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK:           arith.addf
func.func @sum(%x: tensor<?x4x5xf32>) -> tensor<?xf32> {
  %r = weir.reduce_sum %x {axes = array<i64: 1, 2>} : (tensor<?x4x5xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Kept dimensions of 1 are put back afterwards.
// CHECK-LABEL: func.func @kept
// CHECK:         %[[R:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xf32>)
// CHECK:         tensor.expand_shape %[[R]] {{\[}}[0, 1]] output_shape [%{{.+}}, 1] : tensor<?xf32> into tensor<?x1xf32>
func.func @kept(%x: tensor<?x4xf32>) -> tensor<?x1xf32> {
  %r = weir.reduce_prod %x {axes = array<i64: 1>, keep_dims} : (tensor<?x4xf32>) -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// -----

// The neutral element of a maximum: minus infinity, or the least integer.
// CHECK-LABEL: func.func @extremes
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:           arith.maximumf
// CHECK:         arith.constant 0 : i8
// CHECK:           arith.maxui
// CHECK:         arith.constant 2147483647 : i32
// CHECK:           arith.minsi
func.func @extremes(%x: tensor<4xf32>, %u: tensor<4xui8>, %i: tensor<4xi32>) -> (tensor<f32>, tensor<ui8>, tensor<i32>) {
  %a = weir.reduce_max %x {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %b = weir.reduce_max %u {axes = array<i64: 0>} : (tensor<4xui8>) -> tensor<ui8>
  %c = weir.reduce_min %i {axes = array<i64: 0>} : (tensor<4xi32>) -> tensor<i32>
  return %a, %b, %c : tensor<f32>, tensor<ui8>, tensor<i32>
}

// -----

// Any and all work on the bytes.
// CHECK-LABEL: func.func @booleans
// CHECK:           arith.ori %{{.+}}, %{{.+}} : i8
// CHECK:           arith.andi %{{.+}}, %{{.+}} : i8
func.func @booleans(%x: tensor<4xi1>) -> (tensor<i1>, tensor<i1>) {
  %a = weir.reduce_any %x {axes = array<i64: 0>} : (tensor<4xi1>) -> tensor<i1>
  %b = weir.reduce_all %x {axes = array<i64: 0>} : (tensor<4xi1>) -> tensor<i1>
  return %a, %b : tensor<i1>, tensor<i1>
}

// -----

// Sums of halves are kept in f32.
// CHECK-LABEL: func.func @halves
// CHECK:         linalg.generic {{.*}} ins(%{{.+}} : tensor<4xf16>) outs(%{{.+}} : tensor<f32>)
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<f16>)
func.func @halves(%x: tensor<4xf16>) -> tensor<f16> {
  %a = weir.reduce_sum %x {axes = array<i64: 0>} : (tensor<4xf16>) -> tensor<f16>
  return %a : tensor<f16>
}

// -----

// The extreme and its place in one pass; the first NaN wins.
// CHECK-LABEL: func.func @argmax
// CHECK-NOT:     rt.assert
// CHECK:         %[[R:.+]]:2 = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           arith.cmpf ogt
// CHECK:           arith.cmpf uno
// CHECK:           linalg.index 1
// CHECK-COUNT-2:   arith.select
// CHECK:         return %[[R]]#1 : tensor<?xi64>
func.func @argmax(%x: tensor<?x10xf32>) -> tensor<?xi64> {
  %r = weir.argmax %x {axis = 1 : i64, to = i64} : (tensor<?x10xf32>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// -----

// Along an extent that may be 0: an error at run time. A NaN is passed over.
// CHECK-LABEL: func.func @argmin
// CHECK:         %[[OK:.+]] = arith.cmpi sgt
// CHECK:         rt.assert %[[OK]], 3
// CHECK:         %[[R:.+]]:2 = linalg.generic
// CHECK:           arith.cmpf olt
// CHECK:           arith.cmpf ord
// CHECK:         linalg.generic {{.*}} ins(%[[R]]#1
// CHECK:           arith.maxsi
func.func @argmin(%x: tensor<?x10xf32>) -> tensor<10xi32> {
  %r = weir.argmin %x {axis = 0 : i64, to = i32, nan = #weir.nan_rule<skip>} : (tensor<?x10xf32>) -> tensor<10xi32>
  return %r : tensor<10xi32>
}
