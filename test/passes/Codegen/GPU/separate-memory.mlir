// Host code does not touch the memory of a device: it copies.
//
// RUN: weir-opt %s --weir-gpu-separate-memory | FileCheck %s

memref.global "private" constant @c : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" constant @large : memref<2000xf32> = dense<3.0>

// CHECK-LABEL: func.func @kernel
// CHECK-SAME:    %{{.+}}: !llvm.ptr, %[[N:.+]]: index
func.func @kernel(%step: !llvm.ptr, %n: index) -> f32 attributes {rt.entry = {feeds = [], fetches = []}} {
  %c1 = arith.constant 1 : index
  // A large constant that a launch reads goes to the device, at the start.
  // CHECK:         %[[HOST:.+]] = memref.get_global @large
  // CHECK-NEXT:    %[[DEVICE:.+]] = rt.device_alloc() : memref<2000xf32>
  // CHECK-NEXT:    rt.copy_to_device %[[HOST]], %[[DEVICE]] on compute
  // CHECK:         %[[M:.+]] = rt.device_alloc(%[[N]]) : memref<?xf32>
  %m = memref.alloc(%n) : memref<?xf32>
  %c = memref.get_global @c : memref<2xf32>
  %large = memref.get_global @large : memref<2000xf32>
  // The host's own reads of a constant stay its own.
  // CHECK:         %[[V:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<2xf32>
  %v = memref.load %c[%c1] : memref<2xf32>
  // CHECK:         rt.device_write %[[V]], %[[M]][%{{.+}}] : f32, memref<?xf32>
  memref.store %v, %m[%c1] : memref<?xf32>
  // A small one is part of the kernel.
  // CHECK:         gpu.launch
  // CHECK:           %[[C:.+]] = memref.get_global @c
  // CHECK:           memref.load %[[C]]
  // CHECK:           memref.load %[[DEVICE]]
  // CHECK:           memref.store %{{.+}}, %[[M]]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %0 = memref.load %c[%tx] : memref<2xf32>
    %1 = memref.load %large[%tx] : memref<2000xf32>
    memref.store %1, %m[%tx] : memref<?xf32>
    memref.store %0, %m[%tx] : memref<?xf32>
    gpu.terminator
  }
  // What the host reads is copied behind the kernels, and waited for.
  // CHECK:         %[[COMPUTED:.+]] = rt.event_record compute
  // CHECK-NEXT:    rt.event_wait %[[COMPUTED]], transfer
  // CHECK-NEXT:    %[[ELEMENT:.+]] = memref.subview %[[M]][%{{.+}}] [1] [1] : memref<?xf32> to memref<f32, strided<[], offset: ?>>
  // CHECK-NEXT:    %[[LOCKED:.+]] = rt.host_alloc : memref<f32>
  // CHECK-NEXT:    rt.copy_to_host %[[ELEMENT]], %[[LOCKED]] on transfer
  // CHECK-NEXT:    %[[COPIED:.+]] = rt.event_record transfer
  // CHECK-NEXT:    rt.event_synchronize %[[COPIED]]
  // CHECK-NEXT:    %[[R:.+]] = memref.load %[[LOCKED]][] : memref<f32>
  // CHECK-NEXT:    rt.host_free %[[LOCKED]]
  %r = memref.load %m[%c1] : memref<?xf32>
  // CHECK-NEXT:    rt.device_free %[[M]]
  memref.dealloc %m : memref<?xf32>
  // CHECK-NEXT:    return %[[R]]
  return %r : f32
}

// Reads between which nothing changes are one wait, checks of what was read
// among them.
// CHECK-LABEL: func.func @places
// CHECK-COUNT-2: rt.copy_to_host
// CHECK:         rt.event_synchronize
// CHECK:         rt.assert
// CHECK-NOT:     rt.event_synchronize
// CHECK:         rt.device_write
// CHECK:         rt.copy_to_host
// CHECK:         rt.event_synchronize
func.func @places(%step: !llvm.ptr, %a: memref<i32>, %b: memref<2xi32>) -> (i32, i32, i32) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %0 = memref.load %a[] : memref<i32>
  %1 = arith.cmpi sge, %0, %zero : i32
  rt.assert %1, 3, "'a'", "no" (%c0, %c0)
  %2 = memref.load %b[%c1] : memref<2xi32>
  memref.store %2, %a[] : memref<i32>
  %3 = memref.load %a[] : memref<i32>
  return %0, %2, %3 : i32, i32, i32
}

// Behind a check, an index may be one that the check has to refuse.
// CHECK-LABEL: func.func @checked
// CHECK:         rt.event_synchronize
// CHECK:         rt.assert
// CHECK:         memref.subview
// CHECK:         rt.event_synchronize
func.func @checked(%step: !llvm.ptr, %a: memref<i32>, %b: memref<2xi32>, %i: index) -> (i32, i32) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c2 = arith.constant 2 : index
  %0 = memref.load %a[] : memref<i32>
  %1 = arith.cmpi ult, %i, %c2 : index
  rt.assert %1, 3, "'a'", "no" (%i, %c2)
  %2 = memref.load %b[%i] : memref<2xi32>
  return %0, %2 : i32, i32
}
