// RUN: weir-opt %s --weir-codegen-separate-inits --split-input-file | FileCheck %s
// Ops that write into one empty or filled tensor each get their own.

// CHECK-LABEL: func.func @filled
// CHECK:         %[[E1:.+]] = tensor.empty() : tensor<4xf32>
// CHECK:         %[[F1:.+]] = linalg.fill {{.*}} outs(%[[E1]]
// CHECK:         %[[E2:.+]] = tensor.empty() : tensor<4xf32>
// CHECK:         %[[F2:.+]] = linalg.fill {{.*}} outs(%[[E2]]
// CHECK:         tensor.insert_slice %{{.+}} into %[[F2]]
// CHECK:         linalg.exp {{.*}} outs(%[[F1]]
func.func @filled(%x: tensor<2xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = tensor.insert_slice %x into %f[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %b = linalg.exp ins(%y : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The state of a loop is written into, too.
// CHECK-LABEL: func.func @loop
// CHECK-COUNT-2: tensor.empty() : tensor<4xf32>
// CHECK:         scf.for
func.func @loop(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = scf.for %i = %zero to %n step %one iter_args(%s = %e) -> tensor<4xf32> {
    %c = linalg.log ins(%a : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %c : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// What is only read may be shared.
// CHECK-LABEL: func.func @read
// CHECK-COUNT-1: linalg.fill
// CHECK-NOT:     linalg.fill
func.func @read(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %o = tensor.empty() : tensor<4xf32>
  %p = tensor.empty() : tensor<4xf32>
  %a = linalg.add ins(%f, %x : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.add ins(%f, %a : tensor<4xf32>, tensor<4xf32>) outs(%p : tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
