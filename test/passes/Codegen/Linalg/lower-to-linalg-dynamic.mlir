// RUN: weir-opt %s --weir-codegen-lower-to-linalg --split-input-file | FileCheck %s
// Shapes and places that are values: checked before a tensor is made of them.

// How many steps there are is found without a sign, so that no distance wraps;
// a step of 0 divides nothing.
// CHECK-LABEL: func.func @range
// CHECK-SAME:    %[[A:.+]]: tensor<i32>, %{{.+}}: tensor<i32>, %[[D:.+]]: tensor<i32>
// CHECK:         %[[START:.+]] = tensor.extract %[[A]][]
// CHECK:         %[[DELTA:.+]] = tensor.extract %[[D]][]
// CHECK:         %[[COUNT:.+]] = arith.addi
// CHECK:         rt.assert %{{.+}}, 3, "'weir.range' at {{.*}}", "[WEIR0450]
// CHECK:         %[[N:.+]] = arith.index_cast %[[COUNT]] : i64 to index
// CHECK:         %[[OUT:.+]] = tensor.empty(%[[N]]) : tensor<?xi32>
// CHECK:         linalg.generic {{.*}}outs(%[[OUT]]
// CHECK:           arith.muli %{{.+}}, %[[DELTA]]
// CHECK:           arith.addi %[[START]]
func.func @range(%a: tensor<i32>, %b: tensor<i32>, %d: tensor<i32>) -> tensor<?xi32> {
  %y = weir.range %a, %b, %d : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----

// One entry may be -1; products do not wrap; the counts agree.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[S:.+]]: tensor<2xi32>
// CHECK:         rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0451] a shape has one extent of {0} at most"
// CHECK-COUNT-2: rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0451] no tensor has
// CHECK:         rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0332]
// CHECK:         %[[SHAPE:.+]] = tensor.from_elements {{.*}} : tensor<2xi64>
// CHECK:         tensor.reshape %[[X]](%[[SHAPE]])
func.func @reshape(%x: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %y = weir.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// What is declared of the result is checked.
// CHECK-LABEL: func.func @broadcast
// CHECK:         linalg.generic
// CHECK:         rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0331] an extent of its result is {0}, but was declared {1}"
// CHECK:         tensor.cast {{.*}} to tensor<?x4xf32>
func.func @broadcast(%x: tensor<f32>, %s: tensor<2xi64>) -> tensor<?x4xf32> {
  %y = weir.dynamic_broadcast %x, %s : (tensor<f32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A box lies inside of the operand.
// CHECK-LABEL: func.func @slice
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[B:[^:]+]]: tensor<1xi64>
// CHECK:         %[[AT:.+]] = tensor.extract %[[B]]
// CHECK:         %[[BEGIN:.+]] = arith.index_cast %[[AT]]
// CHECK:         %[[SIZE:.+]] = arith.select
// CHECK:         rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0331] a box begins at {0}
// CHECK:         rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0331] a box takes {0} elements
// CHECK:         tensor.extract_slice %[[X]][%[[BEGIN]]] [%[[SIZE]]] [2]
func.func @slice(%x: tensor<?xf32>, %b: tensor<1xi64>, %n: tensor<1xi64>) -> tensor<?xf32> {
  %y = weir.dynamic_slice %x, %b, %n {strides = array<i64: 2>} : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @update
// CHECK-SAME:    %[[X:.+]]: tensor<8xf32>, %[[U:.+]]: tensor<?xf32>
// CHECK-COUNT-2: rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0331]
// CHECK:         tensor.insert_slice %[[U]] into %[[X]]
func.func @update(%x: tensor<8xf32>, %u: tensor<?xf32>, %b: tensor<1xi32>) -> tensor<8xf32> {
  %y = weir.dynamic_update_slice %x, %u, %b {strides = array<i64: 1>} : (tensor<8xf32>, tensor<?xf32>, tensor<1xi32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Each column of the indices is compared with an extent of its own.
// CHECK-LABEL: func.func @gather_nd
// CHECK-SAME:    %[[X:.+]]: tensor<?x5x8xf32>, %[[I:.+]]: tensor<?x2xi32>
// CHECK:         tensor.extract_slice %[[I]][0, 0]
// CHECK:         rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0330]
// CHECK:         tensor.extract_slice %[[I]][0, 1]
// CHECK:         rt.assert %{{.+}}, 3, {{.*}}, "[WEIR0330]
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<?x8xf32>)
// CHECK-COUNT-2:   tensor.extract %[[I]]
// CHECK:           tensor.extract %[[X]]
func.func @gather_nd(%x: tensor<?x5x8xf32>, %i: tensor<?x2xi32>) -> tensor<?x8xf32> {
  %y = weir.gather_nd %x, %i : (tensor<?x5x8xf32>, tensor<?x2xi32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// One slice after the other, each where its place says.
// CHECK-LABEL: func.func @scatter_nd
// CHECK-SAME:    %{{.+}}: tensor<4x5x8xf32>, %[[I:.+]]: tensor<?x2xi32>, %[[V:.+]]: tensor<?x8xf32>
// CHECK:         scf.for %[[ROW:[^ ]+]] =
// CHECK-COUNT-2:   tensor.extract %[[I]][%[[ROW]]
// CHECK:           tensor.extract_slice %[[V]][%[[ROW]], 0] [1, 8]
// CHECK:           tensor.extract_slice %{{.+}} [1, 1, 8]
// CHECK:           arith.addf
// CHECK:           tensor.insert_slice
func.func @scatter_nd(%x: tensor<4x5x8xf32>, %i: tensor<?x2xi32>, %v: tensor<?x8xf32>) -> tensor<4x5x8xf32> {
  %y = weir.scatter_nd %x, %i, %v {kind = #weir.scatter_kind<add>} : (tensor<4x5x8xf32>, tensor<?x2xi32>, tensor<?x8xf32>) -> tensor<4x5x8xf32>
  return %y : tensor<4x5x8xf32>
}

// -----

// What came before is carried in f32, and put down before the element is added.
// CHECK-LABEL: func.func @sums
// CHECK:         scf.for %[[I:[^ ]+]] = %{{.+}} iter_args(%[[ALL:[^ ]+]] = %{{[^ ]+}}, %[[SUM:[^ ]+]] = %{{[^ ]+}}) -> (tensor<?x3xf32>, tensor<3xf32>)
// CHECK:           %[[NEXT:.+]] = tensor.insert_slice %[[SUM]] into %[[ALL]][%[[I]], 0]
// CHECK:           %[[MORE:.+]] = linalg.generic {{.*}} outs(%[[SUM]] : tensor<3xf32>)
// CHECK:           scf.yield %[[NEXT]], %[[MORE]]
func.func @sums(%x: tensor<?x3xf16>) -> tensor<?x3xf16> {
  %y = weir.cumulative_sum %x {axis = 0 : i64, exclusive} : (tensor<?x3xf16>) -> tensor<?x3xf16>
  return %y : tensor<?x3xf16>
}

// -----

// Nothing has no place behind the last element, neither to take it from nor to put it.
// CHECK-LABEL: func.func @nothing
// CHECK:         tensor.extract_slice %{{.+}}[0, 0] [0, %{{.+}}] [1, 1] : tensor<2x?xi64> to tensor<0x?xi64>
func.func @nothing(%x: tensor<2x?xi64>) -> tensor<0x?xi64> {
  %y = weir.slice %x {begin = array<i64: 2, 0>, size = array<i64: 0, -1>, strides = array<i64: 1, 1>} : (tensor<2x?xi64>) -> tensor<0x?xi64>
  return %y : tensor<0x?xi64>
}

// CHECK-LABEL: func.func @joined
// CHECK-SAME:    %[[X:.+]]: tensor<1xi64>
// CHECK:         tensor.insert_slice %[[X]] into
// CHECK-NOT:     tensor.insert_slice
func.func @joined(%x: tensor<1xi64>, %y: tensor<0xi64>) -> tensor<1xi64> {
  %z = weir.concat %x, %y {axis = 0 : i64} : (tensor<1xi64>, tensor<0xi64>) -> tensor<1xi64>
  return %z : tensor<1xi64>
}
