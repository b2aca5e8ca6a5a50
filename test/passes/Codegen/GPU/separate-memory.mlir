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
  // CHECK-NEXT:    rt.copy_to_device %[[HOST]], %[[DEVICE]]
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
  // CHECK:         %[[R:.+]] = rt.device_read %[[M]][%{{.+}}] : memref<?xf32> -> f32
  %r = memref.load %m[%c1] : memref<?xf32>
  // CHECK-NEXT:    rt.device_free %[[M]]
  memref.dealloc %m : memref<?xf32>
  // CHECK-NEXT:    return %[[R]]
  return %r : f32
}
