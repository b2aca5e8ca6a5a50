// Round trip: every op of the dialect prints what it parses, in its own text
// form and in the generic one.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

weir.variable @w : tensor<2x2xf32>

// What a step is fed, reads, checks, writes and fetches, as tensors.
// CHECK-LABEL: func.func @tensors(%{{.+}}: !llvm.ptr) -> i32 attributes {rt.entry
func.func @tensors(%step: !llvm.ptr) -> i32 attributes {rt.entry = {}} {
  %n = arith.constant 0 : index
  // CHECK: %[[X:.+]] = rt.feed 0 : tensor<?x64xf32>
  %x = rt.feed 0 : tensor<?x64xf32>
  // CHECK: %[[P:.+]] = rt.feed 1 : tensor<!weir.string>
  %p = rt.feed 1 : tensor<!weir.string>
  // CHECK: %[[B:.+]] = rt.variable_initialized @w : i1
  %b = rt.variable_initialized @w : i1
  // CHECK: rt.assert %[[B]], 11, "gather at net.py:8", "an index is outside 0 <= i < {0}"(%{{.+}}, %{{.+}})
  rt.assert %b, 11, "gather at net.py:8", "an index is outside 0 <= i < {0}"(%n, %n)
  // CHECK: rt.poll
  rt.poll
  // CHECK: %[[W:.+]] = rt.read_variable @w "read at mlp.mlir:3" : tensor<2x2xf32>
  %w = rt.read_variable @w "read at mlp.mlir:3" : tensor<2x2xf32>
  // CHECK: rt.write_variable @w, %[[W]] : tensor<2x2xf32>
  rt.write_variable @w, %w : tensor<2x2xf32>
  // CHECK: rt.save "save at mlp.mlir:9", %[[P]] names ["w", "x"](%[[W]], %[[X]]) : tensor<!weir.string>, tensor<2x2xf32>, tensor<?x64xf32>
  rt.save "save at mlp.mlir:9", %p names ["w", "x"](%w, %x) : tensor<!weir.string>, tensor<2x2xf32>, tensor<?x64xf32>
  // CHECK: rt.save "empty", %[[P]] names []() : tensor<!weir.string>
  rt.save "empty", %p names []() : tensor<!weir.string>
  // CHECK: rt.restore "restore at mlp.mlir:9", %[[P]] names ["w"] : tensor<!weir.string> -> tensor<2x2xf32>
  %v = rt.restore "restore at mlp.mlir:9", %p names ["w"] : tensor<!weir.string> -> tensor<2x2xf32>
  // CHECK: %[[MARK:.+]] = rt.trace_begin
  %mark = rt.trace_begin
  // CHECK: rt.trace_end %[[MARK]] "matmul_relu"
  rt.trace_end %mark "matmul_relu"
  // CHECK: rt.fetch 0, %[[X]] : tensor<?x64xf32>
  rt.fetch 0, %x : tensor<?x64xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// The same once memory is assigned.
// CHECK-LABEL: func.func @buffers
func.func @buffers(%step: !llvm.ptr, %n: index) -> i32 {
  // CHECK: rt.feed_buffer 0 : memref<?x64xf32>
  %x = rt.feed_buffer 0 : memref<?x64xf32>
  // CHECK: rt.output_buffer 0(%{{.+}}) : memref<?x10xf32>
  %y = rt.output_buffer 0(%n) : memref<?x10xf32>
  // CHECK: rt.output_buffer 1() : memref<f32>
  %z = rt.output_buffer 1() : memref<f32>
  // CHECK: %[[W:.+]] = rt.variable_buffer @w "read at mlp.mlir:3" : memref<2x2xf32>
  %w = rt.variable_buffer @w "read at mlp.mlir:3" : memref<2x2xf32>
  // CHECK: rt.variable_buffer @w : memref<2x2xf32>
  %v = rt.variable_buffer @w : memref<2x2xf32>
  // CHECK: rt.variable_written @w
  rt.variable_written @w
  // CHECK: rt.save_buffers "save at mlp.mlir:9", 1 names ["w"](%[[W]]) : memref<2x2xf32>
  rt.save_buffers "save at mlp.mlir:9", 1 names ["w"](%w) : memref<2x2xf32>
  // CHECK: rt.restore_buffers "restore at mlp.mlir:9", 1 names ["w"](%[[W]]) : memref<2x2xf32>
  rt.restore_buffers "restore at mlp.mlir:9", 1 names ["w"](%w) : memref<2x2xf32>
  %ok = arith.constant 0 : i32
  return %ok : i32
}

// A table of nodes that the executor runs: it may have cycles.
// CHECK-LABEL: rt.dataflow @table feeds [{name = "x", type = tensor<f32>}] fetches [{name = "y", type = tensor<f32>}] frames [{name = "f", parallel_iterations = 10 : i64, parent = 0 : i64}] {
// CHECK: %[[Q:.+]] = rt.immediate(@w) : <!weir.resource>
// CHECK: %[[K:.+]] = rt.immediate(dense<true> : tensor<i1>) : <tensor<i1>>
// CHECK: %[[X:.+]], %{{.+}} = rt.node feed "feed 'x'"() {index = 0 : i64} : () -> !rt.edge<tensor<f32>>
// CHECK: %[[W:.+]] = rt.node call "'w' at q.mlir:4"(%[[Q]], %[[X]]) {call = "weir_node_assign_resource"}
// CHECK: %[[E:.+]], %{{.+}} = rt.node enter "'e'"(%[[X]]) after(%[[W]], %[[X]] : !rt.done, !rt.edge<tensor<f32>>) {index = 1 : i64, numbers = array<i64: 0>}
// CHECK: %{{.+}}:2, %{{.+}} = rt.node merge "'m'"(%[[E]], %{{.+}}) {frame = 1 : i64}
rt.dataflow @table feeds [{name = "x", type = tensor<f32>}] fetches [{name = "y", type = tensor<f32>}] frames [{name = "f", parallel_iterations = 10 : i64, parent = 0 : i64}] {
  %q = rt.immediate(@w) : <!weir.resource>
  %k = rt.immediate(dense<true> : tensor<i1>) : <tensor<i1>>
  %x, %0 = rt.node feed "feed 'x'"() {index = 0 : i64} : () -> !rt.edge<tensor<f32>>
  %1 = rt.node call "'w' at q.mlir:4"(%q, %x) {call = "weir_node_assign_resource"} : (!rt.edge<!weir.resource>, !rt.edge<tensor<f32>>) -> ()
  %e, %2 = rt.node enter "'e'"(%x) after(%1, %x : !rt.done, !rt.edge<tensor<f32>>) {index = 1 : i64, numbers = array<i64: 0>} : (!rt.edge<tensor<f32>>) -> !rt.edge<tensor<f32>>
  %m:2, %3 = rt.node merge "'m'"(%e, %n) {frame = 1 : i64} : (!rt.edge<tensor<f32>>, !rt.edge<tensor<f32>>) -> (!rt.edge<tensor<f32>>, !rt.edge<tensor<i32>>)
  %s:2, %4 = rt.node switch "'s'"(%m#0, %k) {frame = 1 : i64} : (!rt.edge<tensor<f32>>, !rt.edge<tensor<i1>>) -> (!rt.edge<tensor<f32>>, !rt.edge<tensor<f32>>)
  %n, %5 = rt.node next_iteration "'n'"(%s#1) {frame = 1 : i64} : (!rt.edge<tensor<f32>>) -> !rt.edge<tensor<f32>>
  %y, %6 = rt.node exit "'x'"(%s#0) {frame = 1 : i64} : (!rt.edge<tensor<f32>>) -> !rt.edge<tensor<f32>>
  %7 = rt.node fetch "fetch 'y'"(%y) {index = 0 : i64} : (!rt.edge<tensor<f32>>) -> ()
}
