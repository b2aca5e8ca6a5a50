// weir-codegen-scalarize: what conditionals and loops carry as scalar tensors they carry as numbers.
//
// RUN: weir-opt %s --weir-codegen-scalarize --split-input-file | FileCheck %s

// No tensor is left in the loop; what it only reads is read once, before it.
// CHECK-LABEL: func.func @loop(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<4xf32>)
// CHECK-DAG:     %[[N:.+]] = tensor.extract %arg1[]
// CHECK-DAG:     %[[I0:.+]] = tensor.extract %arg0[]
// CHECK:         %[[L:.+]]:2 = scf.while (%[[I:.+]] = %[[I0]], %{{.+}} = %arg2) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>) {
// CHECK-NEXT:      %[[C:.+]] = arith.cmpi slt, %[[I]], %[[N]]
// CHECK-NEXT:      scf.condition(%[[C]])
// CHECK:         ^bb0(%[[J:.+]]: i32, %{{.+}}: tensor<4xf32>):
// CHECK-NEXT:      %[[K:.+]] = arith.addi %[[J]], %{{.+}}
// CHECK-NEXT:      scf.yield %[[K]]
// CHECK:         tensor.from_elements %[[L]]#0
#map = affine_map<() -> ()>
func.func @loop(%zero: tensor<i32>, %n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : i32
  %c0_i8 = arith.constant 0 : i8
  %r:2 = scf.while (%i = %zero, %y = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<i8>
    %less = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%i, %n : tensor<i32>, tensor<i32>) outs(%e : tensor<i8>) {
    ^bb0(%a: i32, %b: i32, %out: i8):
      %c = arith.cmpi slt, %a, %b : i32
      %d = arith.extui %c : i1 to i8
      linalg.yield %d : i8
    } -> tensor<i8>
    %byte = tensor.extract %less[] : tensor<i8>
    %p = arith.cmpi ne, %byte, %c0_i8 : i8
    scf.condition(%p) %i, %y : tensor<i32>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %y: tensor<4xf32>):
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%i : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%a: i32, %out: i32):
      %s = arith.addi %a, %c1 : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    scf.yield %next, %y : tensor<i32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<4xf32>
}

// -----

// A conditional inside of a loop.
// CHECK-LABEL: func.func @branch
// CHECK:         %[[Y:.+]] = scf.if %{{.+}} -> (f32) {
// CHECK:           %[[N:.+]] = arith.negf
// CHECK:           scf.yield %[[N]] : f32
// CHECK:         } else {
// CHECK:           scf.yield %{{.+}} : f32
// CHECK:         }
// CHECK:         tensor.from_elements %[[Y]]
#map = affine_map<() -> ()>
func.func @branch(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %y = scf.if %p -> (tensor<f32>) {
    %e = tensor.empty() : tensor<f32>
    %n = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
    ^bb0(%a: f32, %out: f32):
      %s = arith.negf %a : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    scf.yield %n : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %y : tensor<f32>
}

// -----

// Outside of conditionals and loops all stays as it is.
// CHECK-LABEL: func.func @plain
// CHECK:         linalg.generic
#map = affine_map<() -> ()>
func.func @plain(%x: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %n = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %n : tensor<f32>
}
