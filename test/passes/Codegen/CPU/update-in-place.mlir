// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-cpu-update-in-place))' --split-input-file | FileCheck %s
// A variable's new value is made where the old one is.

#id = affine_map<(i) -> (i)>
#turned = affine_map<(i) -> (3 - i)>

// The old value becomes the destination of an element-wise op.
// CHECK-LABEL: func.func @same_place
// CHECK:         %[[W:.+]] = rt.read_variable @w
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[W]] : tensor<4xf32>) outs(%[[W]] : tensor<4xf32>)
func.func @same_place() {
  %w = rt.read_variable @w "read" : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  rt.write_variable @w, %n : tensor<4xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>
#turned = affine_map<(i) -> (3 - i)>

// Not where elements move: one would be overwritten before it is read.
// CHECK-LABEL: func.func @other_place
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[E]] : tensor<4xf32>)
func.func @other_place() {
  %w = rt.read_variable @w "read" : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  rt.write_variable @w, %n : tensor<4xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Nor where the old value is that of another variable.
// CHECK-LABEL: func.func @other_variable
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[E]] : tensor<4xf32>)
func.func @other_variable() {
  %v = rt.read_variable @v "read" : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  rt.write_variable @w, %n : tensor<4xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>

// Nor where the step may still fail: the variable would have changed.
// CHECK-LABEL: func.func @before_a_check
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[E]] : tensor<4xf32>)
// CHECK:         rt.assert
func.func @before_a_check(%ok: i1, %n: index) {
  %w = rt.read_variable @w "read" : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  rt.assert %ok, 3, "node", "no {0} {1}" (%n, %n)
  rt.write_variable @w, %y : tensor<4xf32>
  return
}

// -----

// A scatter changes the old value and no copy of it; behind the check of its indices nothing fails.
// CHECK-LABEL: func.func @scatter
// CHECK:         %[[W:.+]] = rt.read_variable
// CHECK:         scf.for {{.*}} iter_args(%{{.+}} = %[[W]])
func.func @scatter(%ok: i1, %n: index, %x: tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = rt.read_variable @w "read" : tensor<4xf32>
  rt.assert %ok, 11, "node", "no {0} {1}" (%n, %n)
  %e = tensor.empty() : tensor<4xf32>
  %copy = linalg.copy ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %copy) -> tensor<4xf32> {
    %s = tensor.extract %x[] : tensor<f32>
    %b = tensor.insert %s into %a[%i] : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  rt.write_variable @w, %r : tensor<4xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>

// A check inside of a loop that comes later counts as one.
// CHECK-LABEL: func.func @before_a_check_in_a_loop
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[E]] : tensor<4xf32>)
func.func @before_a_check_in_a_loop(%ok: i1, %n: index) {
  %w = rt.read_variable @w "read" : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  scf.if %ok {
    rt.assert %ok, 3, "node", "no {0} {1}" (%n, %n)
  }
  rt.write_variable @w, %y : tensor<4xf32>
  return
}

// -----

#id = affine_map<(i) -> (i)>

// So does a loop that polls: it may run into its deadline.
// CHECK-LABEL: func.func @before_a_loop_that_polls
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%[[E]] : tensor<4xf32>)
func.func @before_a_loop_that_polls(%ok: i1) {
  %w = rt.read_variable @w "read" : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  scf.while : () -> () {
    scf.condition(%ok)
  } do {
    rt.poll
    scf.yield
  }
  rt.write_variable @w, %y : tensor<4xf32>
  return
}
