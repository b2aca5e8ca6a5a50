// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-codegen-lower-to-linalg,cse,weir-codegen-fuse-linalg,cse))' --split-input-file | FileCheck %s
// Element-wise nodes of a group become one loop nest around its anchor.

// What follows a matrix product is one pass that reads it; the product stays
// a multiply and an add.
// CHECK-LABEL: func.func @epilogue
// CHECK:         weir.group
// CHECK:           %[[M:.+]] = linalg.generic {{.*}}"reduction"]}
// CHECK:             arith.mulf
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        linalg.yield
// CHECK:           %[[R:.+]] = linalg.generic {{.*}}ins(%[[M]], %{{.+}} :
// CHECK:             arith.addf
// CHECK:             arith.maximumf
// CHECK-NOT:       linalg.generic
// CHECK:           weir.yield %[[R]]
func.func @epilogue(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %g = weir.group "matmul_add_relu" -> tensor<?x8xf32> {
    %m = weir.matmul %x, %w : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
    %a = weir.add %m, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    %r = weir.relu %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
    weir.yield %r : tensor<?x8xf32>
  }
  return %g : tensor<?x8xf32>
}

// -----

// A transpose before a matrix product is a map of the product.
// CHECK-DAG:   #[[A:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-LABEL: func.func @transposed
// CHECK-SAME:    %[[X:.+]]: tensor<64x?xf32>
// CHECK:         weir.group
// CHECK:           linalg.generic {indexing_maps = [#[[A]], {{.*}} ins(%[[X]],
// CHECK-NOT:       linalg.generic
// CHECK:           weir.yield
func.func @transposed(%x: tensor<64x?xf32>, %w: tensor<64x8xf32>) -> tensor<?x8xf32> {
  %g = weir.group "transpose_matmul" -> tensor<?x8xf32> {
    %t = weir.transpose %x {permutation = array<i64: 1, 0>} : (tensor<64x?xf32>) -> tensor<?x64xf32>
    %m = weir.matmul %t, %w : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
    weir.yield %m : tensor<?x8xf32>
  }
  return %g : tensor<?x8xf32>
}

// -----

// A product's operand that is computed is computed once, not inside of it.
// CHECK-LABEL: func.func @prologue
// CHECK:           %[[E:.+]] = linalg.generic
// CHECK:             math.exp
// CHECK:           linalg.generic {{.*}} ins(%[[E]],
func.func @prologue(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>) -> tensor<?x8xf32> {
  %g = weir.group "exp_matmul" -> tensor<?x8xf32> {
    %t = weir.exp %x : (tensor<?x64xf32>) -> tensor<?x64xf32>
    %m = weir.matmul %t, %w : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
    weir.yield %m : tensor<?x8xf32>
  }
  return %g : tensor<?x8xf32>
}

// -----

// A reduction takes in what it sums; the exponential that is also divided is
// computed once.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1:     math.exp
// CHECK-NOT:         math.exp
// CHECK:           weir.yield
func.func @softmax(%x: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %g = weir.group "softmax" -> tensor<?x10xf32> {
    %m = weir.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<?x10xf32>) -> tensor<?x1xf32>
    %s = weir.sub %x, %m : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
    %e = weir.exp %s : (tensor<?x10xf32>) -> tensor<?x10xf32>
    %t = weir.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<?x10xf32>) -> tensor<?x1xf32>
    %d = weir.div %e, %t : (tensor<?x10xf32>, tensor<?x1xf32>) -> tensor<?x10xf32>
    weir.yield %d : tensor<?x10xf32>
  }
  return %g : tensor<?x10xf32>
}

// -----

// Groups are not mixed: each is a kernel of its own.
// CHECK-LABEL: func.func @apart
// CHECK:         weir.group "first"
// CHECK:           math.exp
// CHECK-NOT:       arith.negf
// CHECK:         weir.group "second"
// CHECK:           arith.negf
func.func @apart(%x: tensor<?xf32>) -> tensor<?xf32> {
  %g = weir.group "first" -> tensor<?xf32> {
    %e = weir.exp %x : (tensor<?xf32>) -> tensor<?xf32>
    weir.yield %e : tensor<?xf32>
  }
  %h = weir.group "second" -> tensor<?xf32> {
    %n = weir.neg %g : (tensor<?xf32>) -> tensor<?xf32>
    weir.yield %n : tensor<?xf32>
  }
  return %h : tensor<?xf32>
}
