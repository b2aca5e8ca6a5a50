// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-cpu-plan-memory))' | FileCheck %s
// The buffers of a step share one arena.

// Three buffers, of which the first and the third are never alive together, take the space of two.
// CHECK-LABEL: func.func @shared
// CHECK:         %[[ARENA:.+]] = memref.alloc() : memref<128xi8>
// CHECK:         memref.view %[[ARENA]][%c0][] : memref<128xi8> to memref<16xf32>
// CHECK:         memref.view %[[ARENA]][%c64][] : memref<128xi8> to memref<16xf32>
// CHECK:         memref.view %[[ARENA]][%c0_{{.*}}][] : memref<128xi8> to memref<16xf32>
// CHECK-NOT:     memref.alloc()
func.func @shared(%x: memref<16xf32>) attributes {rt.entry = {}} {
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %a, %b : memref<16xf32> to memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.copy %b, %c : memref<16xf32> to memref<16xf32>
  memref.copy %c, %x : memref<16xf32> to memref<16xf32>
  return
}

// A view of a buffer keeps it alive.
// CHECK-LABEL: func.func @viewed
// CHECK:         memref.alloc() : memref<128xi8>
func.func @viewed(%x: memref<16xf32>) attributes {rt.entry = {}} {
  %a = memref.alloc() : memref<16xf32>
  %view = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %b, %x : memref<16xf32> to memref<16xf32>
  %flat = memref.collapse_shape %view [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  memref.copy %flat, %x : memref<16xf32> to memref<16xf32>
  return
}

// A buffer of dynamic size is freed after its last use, which may be inside a loop.
// CHECK-LABEL: func.func @dynamic
// CHECK:         %[[A:.+]] = memref.alloc(%{{.+}}) : memref<?xf32>
// CHECK:         scf.for
// CHECK:           memref.load %[[A]]
// CHECK:         }
// CHECK-NEXT:    memref.dealloc %[[A]]
func.func @dynamic(%n: index, %out: memref<f32>) attributes {rt.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %out[] : memref<f32>
  }
  return
}

// A buffer of an iteration is made once, before the loop, and lives as long as that: it may not share the memory of what
// the loop reads. One of dynamic size is freed in the iteration.
// CHECK-LABEL: func.func @loop
// CHECK:         %[[ARENA:.+]] = memref.alloc() : memref<128xi8>
// CHECK:         memref.view %[[ARENA]][%c0
// CHECK:         memref.view %[[ARENA]][%c64
// CHECK:         scf.while
// CHECK-NOT:       memref.alloc()
// CHECK:           %[[D:.+]] = memref.alloc(%{{.+}}) : memref<?xf32>
// CHECK:           memref.copy
// CHECK:           memref.dealloc %[[D]]
// CHECK:           scf.yield
func.func @loop(%x: memref<16xf32>, %y: memref<?xf32>, %n: index) attributes {rt.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  %r = scf.while (%i = %n) : (index) -> index {
    %p = arith.cmpi sgt, %i, %c0 : index
    scf.condition(%p) %i : index
  } do {
  ^bb0(%i: index):
    %b = memref.alloc() : memref<16xf32>
    memref.copy %a, %b : memref<16xf32> to memref<16xf32>
    memref.copy %b, %x : memref<16xf32> to memref<16xf32>
    %d = memref.alloc(%n) : memref<?xf32>
    memref.copy %y, %d : memref<?xf32> to memref<?xf32>
    %j = arith.subi %i, %c1 : index
    scf.yield %j : index
  }
  return
}

// A buffer that goes around stays in the loop: two of them are alive at a time.
// CHECK-LABEL: func.func @goes_around
// CHECK:         scf.while
// CHECK:         do
// CHECK:           memref.alloc() : memref<16xf32>
func.func @goes_around(%x: memref<16xf32>, %n: index) attributes {rt.entry = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %n, %a = %x) : (index, memref<16xf32>) -> (index, memref<16xf32>) {
    %p = arith.cmpi sgt, %i, %c0 : index
    scf.condition(%p) %i, %a : index, memref<16xf32>
  } do {
  ^bb0(%i: index, %a: memref<16xf32>):
    %b = memref.alloc() : memref<16xf32>
    memref.copy %a, %b : memref<16xf32> to memref<16xf32>
    %j = arith.subi %i, %c1 : index
    scf.yield %j, %b : index, memref<16xf32>
  }
  return
}
