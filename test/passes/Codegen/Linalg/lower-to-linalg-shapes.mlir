// RUN: weir-opt %s --weir-codegen-lower-to-linalg --split-input-file | FileCheck %s
// Reshapes, copies through a map, joining and cutting.

// A reshape groups dimensions where it can.
// CHECK-LABEL: func.func @collapse
// CHECK-NOT:     rt.assert
// CHECK:         %[[R:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0], [1, 2]] : tensor<?x8x8xf32> into tensor<?x64xf32>
// CHECK-NEXT:    return %[[R]]
func.func @collapse(%x: tensor<?x8x8xf32>) -> tensor<?x64xf32> {
  %y = weir.reshape %x {shape = array<i64: -1, 64>} : (tensor<?x8x8xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @expand
// CHECK-NOT:     rt.assert
// CHECK:         tensor.expand_shape %{{.+}} {{\[}}[0], [1, 2]] output_shape [%{{.+}}, 8, 8] : tensor<?x64xf32> into tensor<?x8x8xf32>
func.func @expand(%x: tensor<?x64xf32>, %like: tensor<?x8x8xf32>) -> tensor<?x8x8xf32> {
  %y = weir.reshape %x {shape = array<i64: -1, 8, 8>} : (tensor<?x64xf32>) -> tensor<?x8x8xf32>
  return %y : tensor<?x8x8xf32>
}

// -----

// Where the groups do not match, it goes by way of the common ones.
// CHECK-LABEL: func.func @regroup
// CHECK:         %[[C:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0], [1, 2]] : tensor<?x4x6xf32> into tensor<?x24xf32>
// CHECK:         tensor.expand_shape %[[C]] {{\[}}[0], [1, 2]] output_shape [%{{.+}}, 3, 8]
func.func @regroup(%x: tensor<?x4x6xf32>) -> tensor<?x3x8xf32> {
  %y = weir.reshape %x {shape = array<i64: -1, 3, 8>} : (tensor<?x4x6xf32>) -> tensor<?x3x8xf32>
  return %y : tensor<?x3x8xf32>
}

// -----

// A number of elements that only the run can tell is checked.
// CHECK-LABEL: func.func @checked
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %[[HAVE:.+]], %[[WANT:.+]] : index
// CHECK:         rt.assert %[[SAME]], 3, "'weir.reshape' at {{.*}}", "[WEIR0332] {0} elements do not fit a shape of {1}"(%[[HAVE]], %[[WANT]])
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.expand_shape
func.func @checked(%x: tensor<?x?xf32>) -> tensor<?x10xf32> {
  %y = weir.reshape %x {shape = array<i64: -1, 10>} : (tensor<?x?xf32>) -> tensor<?x10xf32>
  return %y : tensor<?x10xf32>
}

// -----

// Scalars and nothing at all have shapes too.
// CHECK-LABEL: func.func @corners
// CHECK:         tensor.collapse_shape %{{.+}} [] : tensor<1x1xf32> into tensor<f32>
// CHECK:         tensor.expand_shape %{{.+}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
// CHECK:         tensor.empty() : tensor<0x4xf32>
func.func @corners(%x: tensor<1x1xf32>, %n: tensor<2x0xf32>) -> (tensor<1x1xf32>, tensor<0x4xf32>) {
  %y = weir.reshape %x {shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  %z = weir.expand_dims %y {axes = array<i64: 0, 1>} : (tensor<f32>) -> tensor<1x1xf32>
  %e = weir.reshape %n {shape = array<i64: 0, 4>} : (tensor<2x0xf32>) -> tensor<0x4xf32>
  return %z, %e : tensor<1x1xf32>, tensor<0x4xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_like
// CHECK:         rt.assert %{{.+}}, 3, {{.+}}, "[WEIR0332]
// CHECK:         tensor.expand_shape
func.func @reshape_like(%x: tensor<?xf32>, %like: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = weir.reshape_like %x, %like : (tensor<?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @squeeze
// CHECK:         tensor.collapse_shape %{{.+}} {{\[}}[0, 1, 2], [3]] : tensor<1x?x1x4xf32> into tensor<?x4xf32>
func.func @squeeze(%x: tensor<1x?x1x4xf32>) -> tensor<?x4xf32> {
  %y = weir.squeeze %x {axes = array<i64: 0, 2>} : (tensor<1x?x1x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A transpose is a copy through a map.
// CHECK-DAG:   #[[IN:.+]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-DAG:   #[[OUT:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @transpose
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[OUT]]]{{.*}} outs(%{{.+}} : tensor<5x?x4xf32>)
func.func @transpose(%x: tensor<?x4x5xf32>) -> tensor<5x?x4xf32> {
  %y = weir.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<?x4x5xf32>) -> tensor<5x?x4xf32>
  return %y : tensor<5x?x4xf32>
}

// -----

// A dynamic extent does not broadcast to a static one: they have to be equal.
// CHECK-LABEL: func.func @broadcast_to
// CHECK:         rt.assert %{{.+}}, 3
// CHECK:         %[[R:.+]] = tensor.collapse_shape
// CHECK:         linalg.generic {{.*}} ins(%[[R]] : tensor<?xf32>) outs(%{{.+}} : tensor<2x4x3xf32>)
func.func @broadcast_to(%x: tensor<?x1xf32>) -> tensor<2x4x3xf32> {
  %y = weir.broadcast_to %x {shape = array<i64: 2, 4, 3>} : (tensor<?x1xf32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_like
// CHECK-SAME:    %[[X:.+]]: tensor<f32>, %[[LIKE:.+]]: tensor<?x8xf32>
// CHECK:         %[[N:.+]] = tensor.dim %[[LIKE]]
// CHECK:         %[[OUT:.+]] = tensor.empty(%[[N]])
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<f32>) outs(%[[OUT]]
func.func @broadcast_like(%x: tensor<f32>, %like: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = weir.broadcast_like %x, %like : (tensor<f32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Parts are put one behind the other.
// CHECK-LABEL: func.func @concat
// CHECK-SAME:    %[[A:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<?x3xf32>
// CHECK:         %[[N:.+]] = arith.addi
// CHECK:         %[[E:.+]] = tensor.empty(%[[N]])
// CHECK:         %[[P:.+]] = tensor.insert_slice %[[A]] into %[[E]][0, 0] [2, 3] [1, 1]
// CHECK:         tensor.insert_slice %[[B]] into %[[P]][2, 0] [%{{.+}}, 3] [1, 1]
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = weir.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func.func @slice
// CHECK:         tensor.extract_slice %{{.+}}[1, 2] [3, 4] [2, 1] : tensor<7x9xf32> to tensor<3x4xf32>
func.func @slice(%x: tensor<7x9xf32>) -> tensor<3x4xf32> {
  %y = weir.slice %x {begin = array<i64: 1, 2>, size = array<i64: 3, 4>, strides = array<i64: 2, 1>} : (tensor<7x9xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// How far a slice reaches is checked where the extent is not known.
// CHECK-LABEL: func.func @slice_dynamic
// CHECK:         %[[IN:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}}
// CHECK:         rt.assert %[[IN]], 3, {{.+}}, "[WEIR0331] the slice reaches {0} elements far, but there are {1}"
// CHECK:         %[[N:.+]] = arith.ceildivsi
// CHECK:         tensor.extract_slice %{{.+}}[1] [%[[N]]] [2]
func.func @slice_dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = weir.slice %x {begin = array<i64: 1>, size = array<i64: -1>, strides = array<i64: 2>} : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Padding between elements is a step of the place they are put in.
// CHECK-LABEL: func.func @pad
// CHECK:         %[[F:.+]] = linalg.fill ins(%{{.+}} : f32) outs(%{{.+}} : tensor<8xf32>)
// CHECK:         tensor.insert_slice %{{.+}} into %[[F]][1] [3] [2]
func.func @pad(%x: tensor<3xf32>) -> tensor<8xf32> {
  %y = weir.pad %x {low = array<i64: 1>, high = array<i64: 2>, interior = array<i64: 1>, value = 2.0 : f64} : (tensor<3xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// An empty dimension has no places between elements.
// CHECK-LABEL: func.func @pad_dynamic
// CHECK:         arith.maxsi
// CHECK:         tensor.insert_slice
func.func @pad_dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = weir.pad %x {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @reverse
// CHECK:           %[[D:.+]] = linalg.index 0
// CHECK:           %[[AT:.+]] = arith.subi %{{.+}}, %[[D]]
// CHECK:           %[[SAME:.+]] = linalg.index 1
// CHECK:           tensor.extract %{{.+}}[%[[AT]], %[[SAME]]]
func.func @reverse(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = weir.reverse %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Values without data: what the loops and the types say.
// CHECK-LABEL: func.func @places
// CHECK:           linalg.index 1
// CHECK:           arith.index_cast %{{.+}} : index to i32
// CHECK:         tensor.from_elements %{{.+}}, %{{.+}} : tensor<2xi64>
// CHECK:         tensor.from_elements %{{.+}} : tensor<i64>
func.func @places(%x: tensor<?x8xf32>) -> (tensor<2x3xi32>, tensor<2xi64>, tensor<i64>) {
  %i = weir.iota {axis = 1 : i64, type = tensor<2x3xi32>} : () -> tensor<2x3xi32>
  %s = weir.shape_of %x : (tensor<?x8xf32>) -> tensor<2xi64>
  %d = weir.dim_size %x {axis = 0 : i64} : (tensor<?x8xf32>) -> tensor<i64>
  return %i, %s, %d : tensor<2x3xi32>, tensor<2xi64>, tensor<i64>
}

// -----

// Nothing is left of an identity.
// CHECK-LABEL: func.func @identities
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>
// CHECK-NEXT:    return %[[X]]
func.func @identities(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = weir.identity %x : (tensor<?xf32>) -> tensor<?xf32>
  %z = weir.stop_gradient %y : (tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
