// Ops of a GPU's host code become calls of weir-c/gpu.h, those that may fail
// end the step.
//
// RUN: weir-opt %s --weir-cpu-lower-runtime --reconcile-unrealized-casts | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}("'gather' at x.mlir:1\00")

// CHECK-LABEL: func.func @kernel
// CHECK-SAME:    %[[STEP:[^:]+]]: !llvm.ptr
func.func @kernel(%step: !llvm.ptr) -> i32 attributes {rt.entry = {feeds = [{name = "x", type = tensor<4xi64>}], fetches = []}} {
  %ok = arith.constant 0 : i32
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7 : i64
  %x = rt.feed_buffer 0 : memref<4xi64>
  // A lock of pages that fails has told why.
  // CHECK:         %[[LOCKED:.+]] = llvm.call @weir_rt_host_alloc(%[[STEP]], %{{.+}}) : (!llvm.ptr, i64) -> !llvm.ptr
  // CHECK-NEXT:    llvm.mlir.zero
  // CHECK-NEXT:    llvm.icmp "eq" %[[LOCKED]]
  %h = rt.host_alloc : memref<i64>
  // An event is a number.
  // CHECK:         llvm.call @weir_rt_event_record(%[[STEP]], %{{.+}}, %[[PLACE:.+]]) : (!llvm.ptr, i32, !llvm.ptr) -> i32
  // CHECK:         %[[EVENT:.+]] = llvm.load %[[PLACE]] : !llvm.ptr -> i64
  // CHECK:         %[[TRANSFER:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK-NEXT:    llvm.call @weir_rt_event_wait(%[[STEP]], %[[EVENT]], %[[TRANSFER]])
  %e = rt.event_record compute
  rt.event_wait %e, transfer
  // CHECK:         llvm.call @weir_rt_enqueue_to_host(%[[STEP]], %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i64) -> i32
  %s = memref.subview %x[%c2] [1] [1] : memref<4xi64> to memref<i64, strided<[], offset: ?>>
  rt.copy_to_host %s, %h on transfer : memref<i64, strided<[], offset: ?>> to memref<i64>
  // CHECK:         %[[CODE:.+]] = llvm.call @weir_rt_event_synchronize(%[[STEP]], %[[EVENT]]) : (!llvm.ptr, i64) -> i32
  // CHECK:         %[[FAILED:.+]] = llvm.icmp "ne" %[[CODE]]
  // CHECK-NEXT:    cf.cond_br %[[FAILED]]
  rt.event_synchronize %e
  // CHECK:         llvm.call @weir_rt_host_free(%[[STEP]], %{{.+}})
  rt.host_free %h : memref<i64>
  // CHECK:         llvm.call @weir_rt_enqueue_to_device
  rt.copy_to_device %x, %x on compute : memref<4xi64> to memref<4xi64>
  // CHECK:         llvm.call @weir_rt_enqueue_write
  rt.device_write %seven, %x[%c2] : i64, memref<4xi64>
  // CHECK:         llvm.call @weir_rt_check_record(%[[STEP]]) : (!llvm.ptr) -> !llvm.ptr
  // CHECK:         llvm.call @weir_rt_check_site(%[[STEP]], %{{.+}}, %{{.+}}, %{{.+}}) : (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> i64
  %r = rt.check_record : memref<3xi64>
  %site = rt.check_site 3, "'gather' at x.mlir:1", "[WEIR0330] an index is outside 0 <= i < {0}"
  %c0 = arith.constant 0 : index
  memref.store %site, %r[%c0] : memref<3xi64>
  return %ok : i32
}
