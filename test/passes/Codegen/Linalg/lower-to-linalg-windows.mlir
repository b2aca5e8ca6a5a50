// RUN: weir-opt %s --weir-codegen-lower-to-linalg --split-input-file | FileCheck %s
// Convolutions, pooling and their gradients.

// A convolution is a contraction over a window, in padding of zeros.
// CHECK-DAG:   #[[IN:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 * 2 + d5 * 2, d6)>
// CHECK-DAG:   #[[FILTER:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG:   #[[OUT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @conv2d
// CHECK-SAME:    %[[X:.+]]: tensor<?x7x8x3xf32>
// CHECK:         %[[PADDED:.+]] = tensor.insert_slice %[[X]] into %{{.+}}[0, 1, 1, 0] [%{{.+}}, 7, 8, 3] [1, 1, 1, 1] : tensor<?x7x8x3xf32> into tensor<?x9x11x3xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[FILTER]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[PADDED]]
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
func.func @conv2d(%x: tensor<?x7x8x3xf32>, %f: tensor<3x3x3x4xf32>) -> tensor<?x4x4x4xf32> {
  %y = weir.conv2d %x, %f {strides = array<i64: 2, 2>, dilations = array<i64: 1, 2>, padding = #weir.padding<SAME>} : (tensor<?x7x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<?x4x4x4xf32>
  return %y : tensor<?x4x4x4xf32>
}

// -----

// The gradient of the filter sums over images and places.
// CHECK-DAG:   #[[IN:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d0 + d5, d1 + d6, d2)>
// CHECK-DAG:   #[[DY:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-LABEL: func.func @conv2d_backprop_filter
// CHECK:         rt.assert %{{.+}}, 3
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[DY]], #{{.+}}]{{.*}} outs(%{{.+}} : tensor<3x3x1x4xf32>)
func.func @conv2d_backprop_filter(%x: tensor<?x8x8x1xf32>, %d: tensor<?x6x6x4xf32>) -> tensor<3x3x1x4xf32> {
  %y = weir.conv2d_backprop_filter %x, %d {filter_size = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<VALID>} : (tensor<?x8x8x1xf32>, tensor<?x6x6x4xf32>) -> tensor<3x3x1x4xf32>
  return %y : tensor<3x3x1x4xf32>
}

// -----

// A window without padding reads the image itself; NaN wins.
// CHECK-DAG:   #[[IN:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d3, d2 * 2 + d4, d5)>
// CHECK-LABEL: func.func @max_pool
// CHECK-SAME:    %[[X:.+]]: tensor<?x8x8x4xf32>
// CHECK:         %[[W:.+]] = tensor.empty() : tensor<2x2xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], {{.*}} ins(%[[X]], %[[W]] :
// CHECK:           arith.maximumf
func.func @max_pool(%x: tensor<?x8x8x4xf32>) -> tensor<?x4x4x4xf32> {
  %y = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<?x8x8x4xf32>) -> tensor<?x4x4x4xf32>
  return %y : tensor<?x4x4x4xf32>
}

// -----

// Padding is no part of a mean: the divisors are what each window holds.
// CHECK-LABEL: func.func @avg_pool
// CHECK:         %[[N:.+]] = arith.constant dense<{{\[}}[4.000000e+00, 6.000000e+00, 4.000000e+00], [6.000000e+00, 9.000000e+00, 6.000000e+00], [4.000000e+00, 6.000000e+00, 4.000000e+00]]> : tensor<3x3xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[N]] :
// CHECK:           arith.divf
func.func @avg_pool(%x: tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32> {
  %y = weir.avg_pool %x {window = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  return %y : tensor<1x3x3x1xf32>
}

// -----

// Windows side by side: one parallel pass over the image writes each gradient
// to the first place that has the maximum, and zeros elsewhere.
// CHECK-LABEL: func.func @side_by_side
// CHECK:         %[[PLACE:.+]]:2 = linalg.generic
// CHECK:           arith.select
// CHECK:         %[[B:.+]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%[[PLACE]]#1, %{{.+}} :
// CHECK:           arith.cmpi eq
// CHECK:           arith.select
// CHECK:         %[[R:.+]] = tensor.collapse_shape %[[B]] {{\[}}[0], [1, 2], [3, 4], [5]]
// CHECK-NEXT:    return %[[R]]
func.func @side_by_side(%x: tensor<?x8x8x4xf32>, %y: tensor<?x4x4x4xf32>) -> tensor<?x8x8x4xf32> {
  %p = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<?x8x8x4xf32>) -> tensor<?x4x4x4xf32>
  %d = weir.max_pool_grad %x, %p, %p {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<?x8x8x4xf32>, tensor<?x4x4x4xf32>, tensor<?x4x4x4xf32>) -> tensor<?x8x8x4xf32>
  return %d : tensor<?x8x8x4xf32>
}

// -----

// Windows that overlap: each element gathers from the windows that contain it.
// CHECK-LABEL: func.func @overlapping
// CHECK:         %[[PLACE:.+]]:2 = linalg.generic
// CHECK:         %[[PLACES:.+]] = tensor.insert_slice %[[PLACE]]#1 into %{{.+}} : tensor<1x3x3x2xi32> into tensor<1x9x9x2xi32>
// CHECK:         %[[DY:.+]] = tensor.insert_slice %{{.+}} into %{{.+}} : tensor<1x3x3x2xf32> into tensor<1x9x9x2xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[PLACES]], %[[DY]], %{{.+}} :
func.func @overlapping(%x: tensor<1x7x7x2xf32>, %y: tensor<1x3x3x2xf32>, %d: tensor<1x3x3x2xf32>) -> tensor<1x7x7x2xf32> {
  %r = weir.max_pool_grad %x, %y, %d {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<1x7x7x2xf32>, tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) -> tensor<1x7x7x2xf32>
  return %r : tensor<1x7x7x2xf32>
}

// -----

// Shares of a mean are gathered in the same way.
// CHECK-LABEL: func.func @avg_pool_grad
// CHECK:           arith.divf
// CHECK:         tensor.insert_slice %{{.+}} into %{{.+}}[0, 1, 1, 0] [%{{.+}}, 4, 4, 3] [1, 2, 2, 1]
// CHECK:           arith.addf
func.func @avg_pool_grad(%d: tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32> {
  %r = weir.avg_pool_grad %d {input_size = array<i64: 8, 8>, window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32>
  return %r : tensor<?x8x8x3xf32>
}
