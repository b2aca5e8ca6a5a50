// weir-cpu-carry-in-place: a tensor that a loop carries has one place.
//
// RUN: weir-opt %s --weir-cpu-carry-in-place --split-input-file | FileCheck %s
// RUN: weir-opt %s --weir-cpu-carry-in-place --eliminate-empty-tensors --one-shot-bufferize="allow-return-allocs-from-loops" --canonicalize --split-input-file | FileCheck %s --check-prefix=MEMORY

// The values get memory before the loop; what is made for the next iteration goes there.
// CHECK-LABEL: func.func @square
// CHECK:         %[[X:.+]] = bufferization.alloc_tensor() copy(%arg0)
// CHECK:         scf.while (%{{.+}} = %[[X]], %{{.+}} = %arg1)
// CHECK:         ^bb0(%[[Y:.+]]: tensor<4xf32>, %{{.+}}: i32):
// CHECK:           %[[N:.+]] = linalg.generic
// CHECK:           %[[M:.+]] = bufferization.materialize_in_destination %[[N]] in %[[Y]]
// CHECK:           scf.yield %[[M]]
// Nothing is allocated in the loop.
// MEMORY-LABEL: func.func @square
// MEMORY:         memref.alloc
// MEMORY:         scf.while
// MEMORY-NOT:     memref.alloc
// MEMORY:         return
#map = affine_map<(d0) -> (d0)>
func.func @square(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %r:2 = scf.while (%y = %x, %i = %n) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32) {
    %p = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%p) %y, %i : tensor<4xf32>, i32
  } do {
  ^bb0(%y: tensor<4xf32>, %i: i32):
    %e = tensor.empty() : tensor<4xf32>
    %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %m = arith.mulf %a, %a : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    %j = arith.subi %i, %c1 : i32
    scf.yield %s, %j : tensor<4xf32>, i32
  }
  return %r#0 : tensor<4xf32>
}

// -----

// A loop that exchanges two tensors: both are copied before one of them is overwritten. Results that are arguments in
// another place get the place of the argument.
// CHECK-LABEL: func.func @exchange
// CHECK:         %[[L:.+]]:3 = scf.while
// CHECK:           scf.condition(%{{.+}}) %[[A:.+]], %[[B:.+]], %{{.+}}
// CHECK:         ^bb0(%[[A1:.+]]: tensor<4xf32>, %[[B1:.+]]: tensor<4xf32>, %{{.+}}: i32):
// CHECK-DAG:       %[[CB:.+]] = bufferization.alloc_tensor() copy(%[[B1]])
// CHECK-DAG:       %[[CA:.+]] = bufferization.alloc_tensor() copy(%[[A1]])
// CHECK:           %[[MA:.+]] = bufferization.materialize_in_destination %[[CB]] in %[[A1]]
// CHECK:           %[[MB:.+]] = bufferization.materialize_in_destination %[[CA]] in %[[B1]]
// CHECK:           scf.yield %[[MA]], %[[MB]]
// CHECK:         return %[[L]]#1, %[[L]]#0
func.func @exchange(%x: tensor<4xf32>, %z: tensor<4xf32>, %n: i32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %r:3 = scf.while (%a = %x, %b = %z, %i = %n) : (tensor<4xf32>, tensor<4xf32>, i32) -> (tensor<4xf32>, tensor<4xf32>, i32) {
    %p = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%p) %b, %a, %i : tensor<4xf32>, tensor<4xf32>, i32
  } do {
  ^bb0(%b: tensor<4xf32>, %a: tensor<4xf32>, %i: i32):
    %j = arith.subi %i, %c1 : i32
    scf.yield %b, %a, %j : tensor<4xf32>, tensor<4xf32>, i32
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// One side of a conditional gives what is carried, the other a constant: a copy each, so that what is written at the end
// of the iteration is neither. The result is made anew, and goes into its place without another copy.
// CHECK-LABEL: func.func @side
// CHECK:         ^bb0(%[[Y:.+]]: tensor<4xf32>):
// CHECK:           %[[S:.+]] = scf.if %arg1 -> (tensor<4xf32>) {
// CHECK:             %[[A:.+]] = bufferization.alloc_tensor() copy(%[[Y]])
// CHECK:             scf.yield %[[A]]
// CHECK:           } else {
// CHECK:             %[[B:.+]] = bufferization.alloc_tensor() copy(%{{.+}})
// CHECK:             scf.yield %[[B]]
// CHECK:           }
// CHECK:           %[[M:.+]] = bufferization.materialize_in_destination %[[S]] in %[[Y]]
// CHECK:           scf.yield %[[M]]
func.func @side(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = scf.while (%y = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%p) %y : tensor<4xf32>
  } do {
  ^bb0(%y: tensor<4xf32>):
    %s = arith.select %p, %y, %zero : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
