// RUN: weir-opt %s --weir-cpu-lower-runtime --split-input-file | FileCheck %s
// Runtime ops and allocations become calls; one that fails ends the step.

// A variable without a value ends the step before anything is done with it.
// CHECK-LABEL: func.func @read(
// CHECK:         %[[M:.+]] = llvm.call @weir_rt_variable_read(%arg0, %{{.+}}, %{{.+}}) : (!llvm.ptr, i32, !llvm.ptr) -> !llvm.ptr
// CHECK:         %[[NULL:.+]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         %[[BAD:.+]] = llvm.icmp "eq" %[[M]], %[[NULL]]
// CHECK:         cf.cond_br %[[BAD]], ^[[LEAVE:.+]], ^[[ON:[a-z0-9]+]]
// CHECK:       ^[[ON]]:
// CHECK:         llvm.call @weir_rt_variable_written
// CHECK:       ^[[LEAVE]]:
// CHECK:         return %{{.+}} : i32
module {
  weir.variable @w : tensor<4xf32>
  func.func @read(%step: !llvm.ptr) -> i32 attributes {rt.entry = {}} {
    %ok = arith.constant 0 : i32
    %w = rt.variable_buffer @w "read w" : memref<4xf32>
    rt.variable_written @w
    return %ok : i32
  }
}

// -----

// An assertion makes its message only where it fails.
// CHECK-LABEL: func.func @assertion(
// CHECK:         cf.cond_br %{{.+}}, ^[[ON:[a-z0-9]+]], ^[[LEAVE:[a-z0-9]+]]
// CHECK:       ^[[ON]]:
// CHECK-NOT:     weir_rt_fail
// CHECK:         return
// CHECK:       ^[[LEAVE]]:
// CHECK:         %[[CODE:.+]] = llvm.call @weir_rt_fail
// CHECK:         return %[[CODE]] : i32
module {
  func.func @assertion(%step: !llvm.ptr) -> i32 attributes {rt.entry = {}} {
    %ok = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %feed = rt.feed_buffer 0 : memref<?xf32>
    %c0 = arith.constant 0 : index
    %n = memref.dim %feed, %c0 : memref<?xf32>
    %one = arith.cmpi eq, %n, %c1 : index
    rt.assert %one, 3, "node", "extent {0} is not {1}" (%n, %c1)
    return %ok : i32
  }
}

// -----

// A poll leaves the step with the code that the runtime gives.
// CHECK-LABEL: func.func @poll(
// CHECK:         %[[CODE:.+]] = llvm.call @weir_rt_poll(%arg0) : (!llvm.ptr) -> i32
// CHECK:         %[[BAD:.+]] = llvm.icmp "ne" %[[CODE]], %{{.+}} : i32
// CHECK:         cf.cond_br %[[BAD]], ^[[LEAVE:[a-z0-9]+]], ^[[ON:[a-z0-9]+]]
// CHECK:       ^[[LEAVE]]:
// CHECK:         return %[[CODE]] : i32
module {
  func.func @poll(%step: !llvm.ptr) -> i32 attributes {rt.entry = {}} {
    %ok = arith.constant 0 : i32
    rt.poll
    return %ok : i32
  }
}

// -----

// The size of an allocation is multiplied with care: what does not fit is refused by the runtime.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         "llvm.intr.smul.with.overflow"
// CHECK:         %[[SIZE:.+]] = llvm.select
// CHECK:         llvm.call @weir_rt_alloc(%arg0, %[[SIZE]])
// CHECK:         llvm.call @weir_rt_free
module {
  func.func @dynamic(%step: !llvm.ptr) -> i32 attributes {rt.entry = {}} {
    %ok = arith.constant 0 : i32
    %feed = rt.feed_buffer 0 : memref<?xf32>
    %c0 = arith.constant 0 : index
    %n = memref.dim %feed, %c0 : memref<?xf32>
    %m = memref.alloc(%n, %n) : memref<?x?xf32>
    memref.dealloc %m : memref<?x?xf32>
    return %ok : i32
  }
}
