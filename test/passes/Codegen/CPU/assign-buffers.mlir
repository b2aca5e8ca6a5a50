// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-cpu-assign-buffers))' --split-input-file --verify-diagnostics | FileCheck %s
// What a step is fed, reads, writes and fetches gets its memory.

// A feed is only read; a variable that the step writes may be written in place, one that it does not may not. What is
// fetched leaves before memory takes the new value.
// CHECK-LABEL: func.func @step
// CHECK-DAG:     %[[XM:.+]] = rt.feed_buffer 0 : memref<4xf32>
// CHECK-DAG:     %[[X:.+]] = bufferization.to_tensor %[[XM]] restrict :
// CHECK-DAG:     %[[OUT:.+]] = rt.output_buffer 0() : memref<4xf32>
// CHECK-DAG:     %[[VM:.+]] = rt.variable_buffer @v "read v" : memref<4xf32>
// CHECK-DAG:     bufferization.to_tensor %[[VM]] restrict :
// CHECK-DAG:     %[[WM:.+]] = rt.variable_buffer @w "read w" : memref<4xf32>
// CHECK-DAG:     %[[W:.+]] = bufferization.to_tensor %[[WM]] restrict writable :
// CHECK:         bufferization.materialize_in_destination %[[W]] in restrict writable %[[OUT]]
// CHECK:         bufferization.materialize_in_destination %[[X]] in writable %[[WM]]
// CHECK:         rt.variable_written @w
func.func @step() attributes {rt.entry = {}} {
  %x = rt.feed 0 : tensor<4xf32>
  %v = rt.read_variable @v "read v" : tensor<4xf32>
  %w = rt.read_variable @w "read w" : tensor<4xf32>
  rt.write_variable @w, %x : tensor<4xf32>
  rt.fetch 0, %w : tensor<4xf32>
  return
}

// -----

// The memory of a fetch of dynamic size is asked for when the size is known.
// CHECK-LABEL: func.func @dynamic
// CHECK:         %[[N:.+]] = tensor.dim
// CHECK:         rt.output_buffer 0(%[[N]]) : memref<?xf32>
func.func @dynamic() attributes {rt.entry = {}} {
  %x = rt.feed 0 : tensor<?xf32>
  rt.fetch 0, %x : tensor<?xf32>
  return
}

// -----

// A checkpoint names the feed that its path is.
// CHECK-LABEL: func.func @checkpoint
// CHECK:         rt.save_buffers "save", 0 names ["w"](%{{.+}}) : memref<4xf32>
// CHECK:         %[[R:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         rt.restore_buffers "restore", 0 names ["w"](%[[R]]) : memref<4xf32>
func.func @checkpoint() attributes {rt.entry = {}} {
  %path = rt.feed 0 : tensor<!weir.string>
  %w = rt.read_variable @w "read w" : tensor<4xf32>
  rt.save "save", %path names ["w"] (%w) : tensor<!weir.string>, tensor<4xf32>
  %r = rt.restore "restore", %path names ["w"] : tensor<!weir.string> -> tensor<4xf32>
  rt.write_variable @w, %r : tensor<4xf32>
  return
}

// -----

// Strings come in, but do not go out.
func.func @strings() attributes {rt.entry = {}} {
  %path = rt.feed 0 : tensor<!weir.string>
  // expected-error@below {{[WEIR0122] compiled programs cannot fetch strings}}
  rt.fetch 0, %path : tensor<!weir.string>
  return
}

// -----

// A variable that is written on a condition: its memory is there without a value, and takes the new one last, behind the
// fetches and the writes that always happen.
// CHECK-LABEL: func.func @guarded
// CHECK:         rt.variable_buffer @w : memref<4xf32>
// CHECK:         bufferization.materialize_in_destination %{{.+}} in restrict writable %{{.+}} : (tensor<4xf32>, memref<4xf32>)
// CHECK:         scf.if
// CHECK:           bufferization.materialize_in_destination %{{.+}} in writable
// CHECK:           rt.variable_written @w
// CHECK:         }
// CHECK-NEXT:    return
func.func @guarded(%p: i1) attributes {rt.entry = {}} {
  %x = rt.feed 0 : tensor<4xf32>
  %w = rt.read_variable @w "" : tensor<4xf32>
  %n = scf.if %p -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  scf.if %p {
    rt.write_variable @w, %n : tensor<4xf32>
  }
  rt.fetch 0, %w : tensor<4xf32>
  return
}

// -----

// What may lie in the memory of another variable that is written is copied before any of them is.
// CHECK-LABEL: func.func @mixed
// CHECK:         %[[N:.+]] = scf.if
// CHECK:         %[[C:.+]] = bufferization.alloc_tensor() copy(%[[N]])
// CHECK:         bufferization.materialize_in_destination %{{.+}} in writable
// CHECK:         bufferization.materialize_in_destination %[[C]] in writable
func.func @mixed(%p: i1) attributes {rt.entry = {}} {
  %x = rt.feed 0 : tensor<4xf32>
  %v = rt.read_variable @v "v" : tensor<4xf32>
  %w = rt.read_variable @w "w" : tensor<4xf32>
  %n = scf.if %p -> tensor<4xf32> {
    scf.yield %v : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  rt.write_variable @v, %x : tensor<4xf32>
  rt.write_variable @w, %n : tensor<4xf32>
  return
}
