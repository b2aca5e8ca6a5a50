// RUN: weir-opt %s --weir-codegen-lower-to-linalg --split-input-file | FileCheck %s
// What is indexed by data, and random numbers.

// All indices are compared with the extent before one is used; negative ones
// are large as unsigned numbers. The innermost loop runs through a row.
// CHECK-LABEL: func.func @gather
// CHECK-SAME:    %[[P:.+]]: tensor<?x8xf32>, %[[I:.+]]: tensor<?xi32>
// CHECK:         %[[N:.+]] = tensor.dim %[[P]]
// CHECK:         %[[BAD:.+]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[I]]
// CHECK:           arith.cmpi uge
// CHECK:           arith.ori
// CHECK:         %[[FLAG:.+]] = tensor.extract %[[BAD]][]
// CHECK:         %[[FINE:.+]] = arith.cmpi eq, %[[FLAG]]
// CHECK:         rt.assert %[[FINE]], 3, "'weir.gather' at {{.*}}", "[WEIR0330] an index is outside 0 <= i < {0}"(%[[N]]
// CHECK:         linalg.generic {{.*}} ins(%[[I]] : tensor<?xi32>) outs(%{{.+}} : tensor<?x8xf32>)
// CHECK:           %[[AT:.+]] = arith.index_cast
// CHECK:           %[[J:.+]] = linalg.index 1
// CHECK:           tensor.extract %[[P]][%[[AT]], %[[J]]]
func.func @gather(%p: tensor<?x8xf32>, %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %y = weir.gather %p, %i {axis = 0 : i64} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @take_along
// CHECK:         rt.assert %{{.+}}, 3
// CHECK:         rt.assert %{{.+}}, 3
// CHECK:           tensor.extract
func.func @take_along(%x: tensor<?x10xf32>, %i: tensor<?xi64>) -> tensor<?xf32> {
  %y = weir.take_along %x, %i : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Rows are added in their order, each to its place in the sums.
// CHECK-LABEL: func.func @segment_sum
// CHECK:         rt.assert %{{.+}}, 3
// CHECK:         %[[INIT:.+]] = linalg.fill {{.*}} -> tensor<100x8xf32>
// CHECK:         scf.for %[[ROW:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[SUMS:.+]] = %[[INIT]])
// CHECK:           %[[S:.+]] = arith.index_cast
// CHECK:           %[[TERM:.+]] = tensor.extract_slice %{{.+}}[%[[ROW]], 0] [1, 8] [1, 1]
// CHECK:           %[[SUM:.+]] = tensor.extract_slice %[[SUMS]][%[[S]], 0] [1, 8] [1, 1]
// CHECK:           %[[NEW:.+]] = linalg.generic {{.*}} ins(%[[TERM]] : {{.*}} outs(%[[SUM]] :
// CHECK:           tensor.insert_slice %[[NEW]] into %[[SUMS]][%[[S]], 0]
func.func @segment_sum(%d: tensor<?x8xf32>, %s: tensor<?xi32>) -> tensor<100x8xf32> {
  %y = weir.unsorted_segment_sum %d, %s {segment_count = 100 : i64} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<100x8xf32>
  return %y : tensor<100x8xf32>
}

// -----

// Ten rounds of two products; an element is a function of its place.
// CHECK-LABEL: func.func @uniform
// CHECK:         %[[FLAT:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<12xf32>)
// CHECK:           linalg.index 0
// CHECK-COUNT-20:  arith.muli {{.*}} : i64
// CHECK-NOT:       arith.muli
// CHECK:           arith.constant 5.96046448E-8 : f32
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[}}[0, 1]] output_shape [3, 4]
func.func @uniform(%s: tensor<2xi64>) -> tensor<3x4xf32> {
  %r = weir.random_uniform %s {type = tensor<3x4xf32>} : (tensor<2xi64>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @normal
// CHECK:           math.log
// CHECK:           math.sqrt
// CHECK-DAG:       math.sin
// CHECK-DAG:       math.cos
func.func @normal(%s: tensor<2xi64>) -> tensor<f64> {
  %r = weir.random_normal %s {type = tensor<f64>} : (tensor<2xi64>) -> tensor<f64>
  return %r : tensor<f64>
}

// -----

// A scatter checks all indices, then changes slices of a copy one after the other.
// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    %[[X:.+]]: tensor<100x8xf32>, %[[I:.+]]: tensor<?xi32>, %[[V:.+]]: tensor<?x8xf32>
// CHECK:         rt.assert {{.*}}WEIR0331
// CHECK:         rt.assert {{.*}}WEIR0330
// CHECK:         %[[C:.+]] = linalg.copy ins(%[[X]]
// CHECK:         scf.for {{.*}} iter_args(%[[A:.+]] = %[[C]])
// CHECK:           %[[T:.+]] = tensor.extract_slice %[[V]]
// CHECK:           %[[O:.+]] = tensor.extract_slice %[[A]]
// CHECK:           linalg.generic {{.*}} ins(%[[T]] : tensor<8xf32>) outs(%[[O]] : tensor<8xf32>)
// CHECK:             arith.addf
// CHECK:           tensor.insert_slice
func.func @scatter(%x: tensor<100x8xf32>, %i: tensor<?xi32>, %v: tensor<?x8xf32>) -> tensor<100x8xf32> {
  %y = weir.scatter %x, %i, %v {kind = #weir.scatter_kind<add>} : (tensor<100x8xf32>, tensor<?xi32>, tensor<?x8xf32>) -> tensor<100x8xf32>
  return %y : tensor<100x8xf32>
}

// -----

// Loops and conditionals around nodes get the types of memory.
// CHECK-LABEL: func.func @regions
// CHECK:         scf.if %{{.+}} -> (tensor<2xi8>)
// CHECK:         scf.while (%{{.+}} = %{{.+}}) : (tensor<2xi8>) -> tensor<2xi8>
func.func @regions(%p: i1, %x: tensor<2xi1>) -> tensor<2xi1> {
  %y = scf.if %p -> tensor<2xi1> {
    %n = weir.logical_not %x : (tensor<2xi1>) -> tensor<2xi1>
    scf.yield %n : tensor<2xi1>
  } else {
    scf.yield %x : tensor<2xi1>
  }
  %z = scf.while (%a = %y) : (tensor<2xi1>) -> tensor<2xi1> {
    scf.condition(%p) %a : tensor<2xi1>
  } do {
  ^bb0(%a: tensor<2xi1>):
    %n = weir.logical_not %a : (tensor<2xi1>) -> tensor<2xi1>
    scf.yield %n : tensor<2xi1>
  }
  return %z : tensor<2xi1>
}
