// Host code does not touch the memory of a device: it copies.
//
// RUN: weir-opt %s --weir-gpu-separate-memory | FileCheck %s

memref.global "private" constant @c : memref<2xf32> = dense<[1.0, 2.0]>

// CHECK-LABEL: func.func @kernel
// CHECK-SAME:    %{{.+}}: !llvm.ptr, %[[N:.+]]: index
func.func @kernel(%step: !llvm.ptr, %n: index) -> f32 attributes {rt.entry = {feeds = [], fetches = []}} {
  %c1 = arith.constant 1 : index
  // A constant that a launch reads goes to the device once, at the start.
  // CHECK:         %[[HOST:.+]] = memref.get_global @c
  // CHECK-NEXT:    %[[DEVICE:.+]] = rt.device_alloc() : memref<2xf32>
  // CHECK-NEXT:    rt.copy_to_device %[[HOST]], %[[DEVICE]]
  // CHECK:         %[[M:.+]] = rt.device_alloc(%[[N]]) : memref<?xf32>
  %m = memref.alloc(%n) : memref<?xf32>
  %c = memref.get_global @c : memref<2xf32>
  // The host's own reads of a constant stay its own.
  // CHECK:         %[[V:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<2xf32>
  %v = memref.load %c[%c1] : memref<2xf32>
  // CHECK:         rt.device_write %[[V]], %[[M]][%{{.+}}] : f32, memref<?xf32>
  memref.store %v, %m[%c1] : memref<?xf32>
  // CHECK:         gpu.launch
  // CHECK:           memref.load %[[DEVICE]]
  // CHECK:           memref.store %{{.+}}, %[[M]]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %0 = memref.load %c[%tx] : memref<2xf32>
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
