// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-cpu-update-in-place,weir-cpu-assign-buffers),canonicalize,cse,eliminate-empty-tensors,one-shot-bufferize,canonicalize,cse,func.func(weir-cpu-settle-writes))' | FileCheck %s
// State stays right through bufferization: no value is overwritten that is still read.

#id = affine_map<(i) -> (i)>

// Two variables exchange values: one of them has to be kept aside.
// CHECK-LABEL: func.func @exchange
// CHECK-DAG:     %[[A:.+]] = rt.variable_buffer @a
// CHECK-DAG:     %[[B:.+]] = rt.variable_buffer @b
// CHECK:         %[[KEPT:.+]] = memref.alloc
// CHECK:         memref.copy %[[A]], %[[KEPT]]
// CHECK:         memref.copy %[[B]], %[[A]]
// CHECK:         memref.copy %[[KEPT]], %[[B]]
func.func @exchange() attributes {rt.entry = {}} {
  %a = rt.read_variable @a "read a" : tensor<4xf32>
  %b = rt.read_variable @b "read b" : tensor<4xf32>
  rt.write_variable @a, %b : tensor<4xf32>
  rt.write_variable @b, %a : tensor<4xf32>
  return
}

// An update is made in place, without any other memory.
// CHECK-LABEL: func.func @update
// CHECK:         %[[A:.+]] = rt.variable_buffer @a
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} ins(%[[A]] : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         rt.variable_written @a
func.func @update() attributes {rt.entry = {}} {
  %a = rt.read_variable @a "read a" : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  rt.write_variable @a, %n : tensor<4xf32>
  return
}

// The old value is fetched as well: it leaves before the new one takes its place.
// CHECK-LABEL: func.func @fetch_old
// CHECK-DAG:     %[[OUT:.+]] = rt.output_buffer 0
// CHECK-DAG:     %[[A:.+]] = rt.variable_buffer @a
// CHECK:         memref.copy %[[A]], %[[OUT]]
// CHECK:         memref.copy %{{.+}}, %[[A]]
func.func @fetch_old() attributes {rt.entry = {}} {
  %x = rt.feed 0 : tensor<4xf32>
  %a = rt.read_variable @a "read a" : tensor<4xf32>
  rt.write_variable @a, %x : tensor<4xf32>
  rt.fetch 0, %a : tensor<4xf32>
  return
}
