// Folding: what it takes away, and what it has to leave.
//
// RUN: weir-opt %s -split-input-file --canonicalize | FileCheck %s

// What changes nothing is gone.
// CHECK-LABEL: weir.graph @nothing
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<4xi32>)
weir.graph @nothing(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %zero = weir.constant dense<0.0> : tensor<4xf32>
  %one = weir.constant dense<1.0> : tensor<f32>
  %none = weir.constant dense<0> : tensor<i32>
  %a = weir.identity %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = weir.sub %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = weir.mul %one, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %d = weir.div %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = weir.cast %x {to = f32} : (tensor<4xf32>) -> tensor<4xf32>
  %f = weir.reshape %x {shape = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
  %g = weir.transpose %x {permutation = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %h = weir.add %none, %i : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK-NEXT: weir.fetch %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[I]]
  weir.fetch %a, %b, %c, %d, %e, %f, %g, %h : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// -----

// x + 0 turns -0 into 0 and x - (-0) does too; x * 0 is NaN for some x.
// CHECK-LABEL: weir.graph @floats
weir.graph @floats(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = weir.constant dense<0.0> : tensor<4xf32>
  %minus = weir.constant dense<-0.0> : tensor<4xf32>
  // CHECK: %[[A:.+]] = weir.add
  %a = weir.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[B:.+]] = weir.sub
  %b = weir.sub %x, %minus : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[C:.+]] = weir.mul
  %c = weir.mul %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: weir.fetch %[[A]], %[[B]], %[[C]]
  weir.fetch %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Nor is a node gone that repeats its operand over a larger shape.
// CHECK-LABEL: weir.graph @broadcasts
weir.graph @broadcasts(%x: tensor<f32>) -> tensor<4xf32> {
  %one = weir.constant dense<1.0> : tensor<4xf32>
  // CHECK: weir.mul
  %y = weir.mul %x, %one : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %y : tensor<4xf32>
}

// -----

weir.variable @w : tensor<4xf32>

// A node that waits for something stays, and a constant goes behind the other
// operand but never behind a control operand.
// CHECK-LABEL: weir.graph @waits
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
weir.graph @waits(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[TWO:.+]] = weir.constant
  %two = weir.constant dense<2.0> : tensor<4xf32>
  // CHECK: %{{.+}}, %[[C:.+]] = weir.read
  %r, %c = weir.read @w : tensor<4xf32>
  // CHECK: %[[A:.+]] = weir.identity %[[X]] after(%[[C]])
  %a = weir.identity %x after(%c) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[B:.+]] = weir.mul %[[X]], %[[TWO]] after(%[[C]])
  %b = weir.mul %two, %x after(%c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: weir.fetch %[[A]], %[[B]]
  weir.fetch %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// Extents that are known become constants; the others stay.
// CHECK-LABEL: weir.graph @extents
weir.graph @extents(%x: tensor<?x8xf32>, %y: tensor<2x3xf32>) -> (tensor<i64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<?xi64>) {
  // CHECK-DAG: %[[SHAPE:.+]] = weir.constant dense<[2, 3]> : tensor<2xi64>
  // CHECK-DAG: %[[EIGHT:.+]] = weir.constant dense<8> : tensor<i64>
  // CHECK-DAG: %[[ROWS:.+]] = weir.dim_size %{{.+}} {axis = 0 : i64}
  // CHECK-DAG: %[[OPEN:.+]] = weir.shape_of %{{.+}} : (tensor<?x8xf32>)
  %a = weir.dim_size %x {axis = 0 : i64} : (tensor<?x8xf32>) -> tensor<i64>
  %b = weir.dim_size %x {axis = 1 : i64} : (tensor<?x8xf32>) -> tensor<i64>
  %c = weir.shape_of %x : (tensor<?x8xf32>) -> tensor<2xi64>
  %d = weir.shape_of %y : (tensor<2x3xf32>) -> tensor<2xi64>
  // A result that is declared open cannot be a constant.
  // CHECK-DAG: %[[E:.+]] = weir.shape_of %{{.+}} : (tensor<2x3xf32>) -> tensor<?xi64>
  %e = weir.shape_of %y : (tensor<2x3xf32>) -> tensor<?xi64>
  // CHECK: weir.fetch %[[ROWS]], %[[EIGHT]], %[[OPEN]], %[[SHAPE]], %[[E]]
  weir.fetch %a, %b, %c, %d, %e : tensor<i64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<?xi64>
}

// -----

// A graph region allows a node to feed itself. Such a graph is wrong, and
// weir-import-verify says so, but folding it comes to an end.
// CHECK-LABEL: weir.graph @itself
weir.graph @itself() -> (tensor<4xf32>, tensor<4xf32>) {
  %one = weir.constant dense<1.0> : tensor<4xf32>
  // CHECK: %[[A:.+]] = weir.identity %[[A]]
  %a = weir.identity %a : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[B:.+]] = weir.mul %[[B]], %{{.+}}
  %b = weir.mul %b, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %a, %b : tensor<4xf32>, tensor<4xf32>
}
