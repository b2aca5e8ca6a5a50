// RUN: weir-opt %s --weir-codegen-lower-to-linalg --split-input-file | FileCheck %s
// Nodes become linalg on tensors: types, constants, element-wise nodes, groups.

// A group stays a region; a boolean is a byte in memory and an i1 in a body.
// CHECK-LABEL: func.func @booleans
// CHECK-SAME:    (%[[C:.+]]: tensor<4xi8>) -> tensor<4xi8>
// CHECK:         %[[G:.+]] = weir.group "logical_not" -> tensor<4xi8> {
// CHECK:           %[[R:.+]] = linalg.generic {{.*}} ins(%[[C]] : tensor<4xi8>) outs(%{{.+}} : tensor<4xi8>)
// CHECK:           ^bb0(%[[X:.+]]: i8, %{{.+}}: i8):
// CHECK:             %[[BIT:.+]] = arith.trunci %[[X]] : i8 to i1
// CHECK:             %[[NOT:.+]] = arith.xori %[[BIT]]
// CHECK:             %[[BYTE:.+]] = arith.extui %[[NOT]] : i1 to i8
// CHECK:             linalg.yield %[[BYTE]]
// CHECK:           weir.yield %[[R]] : tensor<4xi8>
// CHECK:         return %[[G]] : tensor<4xi8>
func.func @booleans(%c: tensor<4xi1>) -> tensor<4xi1> {
  %g = weir.group "logical_not" -> tensor<4xi1> {
    %r = weir.logical_not %c : (tensor<4xi1>) -> tensor<4xi1>
    weir.yield %r : tensor<4xi1>
  }
  return %g : tensor<4xi1>
}

// -----

// An unsigned integer loses its sign, but not how it compares.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME:    %{{.+}}: tensor<?xi8>) -> tensor<?xi8>
// CHECK:         arith.maxui
func.func @unsigned(%x: tensor<?xui8>) -> tensor<?xui8> {
  %r = weir.maximum %x, %x : (tensor<?xui8>, tensor<?xui8>) -> tensor<?xui8>
  return %r : tensor<?xui8>
}

// -----

// Constants are stored as their tensors are.
// CHECK-LABEL: func.func @constants
// CHECK:         arith.constant dense<[1, 0]> : tensor<2xi8>
// CHECK:         arith.constant dense<[-56, 7]> : tensor<2xi8>
// CHECK:         arith.constant dense<1.000000e+00> : tensor<2xf32>
func.func @constants() -> (tensor<2xi1>, tensor<2xui8>, tensor<2xf32>) {
  %b = weir.constant dense<[true, false]> : tensor<2xi1>
  %u = weir.constant dense<[200, 7]> : tensor<2xui8>
  %f = weir.constant dense<1.0> : tensor<2xf32>
  return %b, %u, %f : tensor<2xi1>, tensor<2xui8>, tensor<2xf32>
}

// -----

// Ops of the schedule keep what they do; a cast to what memory has is no cast.
// CHECK-LABEL: func.func @scheduled
// CHECK:         %[[X:.+]] = rt.feed 0 : tensor<?xi8>
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         rt.fetch 0, %{{.+}} : tensor<?xi8>
// CHECK:         %[[BYTE:.+]] = tensor.extract %[[S:.+]][] : tensor<i8>
func.func @scheduled(%step: !llvm.ptr) -> i8 {
  %x = rt.feed 0 : tensor<?xi1>
  %s = rt.feed 1 : tensor<i1>
  %n = weir.logical_not %x : (tensor<?xi1>) -> tensor<?xi1>
  rt.fetch 0, %n : tensor<?xi1>
  %bytes = builtin.unrealized_conversion_cast %s : tensor<i1> to tensor<i8>
  %byte = tensor.extract %bytes[] : tensor<i8>
  return %byte : i8
}

// -----

// A string stays a string.
// CHECK-LABEL: func.func @strings
// CHECK:         %[[P:.+]] = weir.constant dense<"model"> : tensor<!weir.string>
// CHECK:         return %[[P]]
func.func @strings() -> tensor<!weir.string> {
  %p = weir.constant dense<"model"> : tensor<!weir.string>
  %q = weir.identity %p : (tensor<!weir.string>) -> tensor<!weir.string>
  return %q : tensor<!weir.string>
}

// -----

// A dimension of 1 that is repeated is taken away: maps only leave out loops.
// CHECK-DAG:   #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG:   #[[COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME:    %[[C:.+]]: tensor<?x1xi8>, %[[X:.+]]: tensor<?x4xf32>, %[[Y:.+]]: tensor<4xf32>
// CHECK:         %[[R:.+]] = tensor.collapse_shape %[[C]] {{\[}}[0, 1]] : tensor<?x1xi8> into tensor<?xi8>
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], #[[ID]], #[[COLUMN]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[R]], %[[X]], %[[Y]]
// CHECK:           arith.select
func.func @broadcast(%c: tensor<?x1xi1>, %x: tensor<?x4xf32>, %y: tensor<4xf32>) -> tensor<?x4xf32> {
  %r = weir.select %c, %x, %y : (tensor<?x1xi1>, tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// Extents of two feeds may differ: they are compared before data is touched.
// CHECK-LABEL: func.func @unequal
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[Y:.+]]: tensor<?xf32>
// CHECK:         %[[A:.+]] = tensor.dim %[[X]]
// CHECK:         %[[B:.+]] = tensor.dim %[[Y]]
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %[[A]], %[[B]]
// CHECK:         rt.assert %[[SAME]], 3, "'sum' at {{.*}}lower-to-linalg.mlir:{{[0-9]+}}", "[WEIR0331] extents {0} and {1} of its operands differ"(%[[A]], %[[B]])
// CHECK:         linalg.generic
func.func @unequal(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = weir.add %x, %y {weir.name = "sum"} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// So is a dynamic extent that meets a static one.
// CHECK-LABEL: func.func @unequal_static
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %c4{{.*}}, %{{.+}}
// CHECK:         rt.assert %[[SAME]], 3
func.func @unequal_static(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = weir.add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Extents that come from one value need no check, across nodes and groups.
// CHECK-LABEL: func.func @provably_equal
// CHECK-NOT:     rt.assert
// CHECK:         return
func.func @provably_equal(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %g = weir.group "matmul" -> tensor<?x4xf32> {
    %m = weir.matmul %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    weir.yield %m : tensor<?x4xf32>
  }
  %flat = weir.reshape %g {shape = array<i64: -1, 2, 2>} : (tensor<?x4xf32>) -> tensor<?x2x2xf32>
  %turned = weir.transpose %flat {permutation = array<i64: 0, 2, 1>} : (tensor<?x2x2xf32>) -> tensor<?x2x2xf32>
  %back = weir.reshape_like %turned, %x : (tensor<?x2x2xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %sum = weir.reduce_sum %back {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  %column = weir.expand_dims %sum {axes = array<i64: 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %r = weir.sub %x, %column : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A result whose declared type knows more than the operands is checked.
// CHECK-LABEL: func.func @declared
// CHECK:         rt.assert %{{.+}}, 3, {{.+}}, "[WEIR0331] an extent of its result is {0}, but was declared {1}"
// CHECK:         tensor.cast %{{.+}} : tensor<?xf32> to tensor<4xf32>
func.func @declared(%x: tensor<?xf32>) -> tensor<4xf32> {
  %r = weir.exp %x : (tensor<?xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A matrix product is a multiply and an add over (m, n, k), transposed by maps.
// CHECK-DAG:   #[[A:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG:   #[[B:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG:   #[[C:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @matmul
// CHECK:         %[[ZERO:.+]] = linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      outs(%[[ZERO]] : tensor<?x8xf32>)
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
func.func @matmul(%a: tensor<4x?xf32>, %b: tensor<8x4xf32>) -> tensor<?x8xf32> {
  %r = weir.matmul %a, %b {transpose_lhs, transpose_rhs} : (tensor<4x?xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// A batch of 1 that broadcasts is no loop of its operand.
// CHECK-DAG:   #[[A:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG:   #[[B:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d3)>
// CHECK-LABEL: func.func @batches
// CHECK:         %[[LHS:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2], [3]] : tensor<?x1x5x6xf32> into tensor<?x5x6xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[A]], #[[B]], #{{.+}}], {{.*}} ins(%[[LHS]], %{{.+}} :
func.func @batches(%a: tensor<?x1x5x6xf32>, %b: tensor<3x6x2xf32>) -> tensor<?x3x5x2xf32> {
  %r = weir.matmul %a, %b : (tensor<?x1x5x6xf32>, tensor<3x6x2xf32>) -> tensor<?x3x5x2xf32>
  return %r : tensor<?x3x5x2xf32>
}

// -----

// The contracted extents are compared where they are not known.
// CHECK-LABEL: func.func @contracted
// CHECK:         rt.assert
// CHECK:         linalg.generic
func.func @contracted(%a: tensor<2x?xf32>, %b: tensor<?x2xf32>) -> tensor<2x2xf32> {
  %r = weir.matmul %a, %b : (tensor<2x?xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

// Products of halves are summed in f32, and rounded once.
// CHECK-LABEL: func.func @halves
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<2x2xf32>)
// CHECK:           arith.extf %{{.+}} : bf16 to f32
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<2x2xbf16>)
// CHECK:           arith.truncf
func.func @halves(%a: tensor<2x3xbf16>, %b: tensor<3x2xbf16>) -> tensor<2x2xbf16> {
  %r = weir.matmul %a, %b : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xbf16>
  return %r : tensor<2x2xbf16>
}

// -----

// Every element-wise node goes the same way; its body is its own.
// CHECK-LABEL: func.func @bodies
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:     weir.
// CHECK:         return
func.func @bodies(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %a = weir.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = weir.cast %i {to = f32} : (tensor<4xi32>) -> tensor<4xf32>
  %c = weir.compare %a, %b {predicate = #weir.compare<lt>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %d = weir.select %c, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
