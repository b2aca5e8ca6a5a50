// Checks of what kernels have computed are launches too; the host waits for
// none of them.
//
// RUN: weir-opt %s --weir-gpu-defer-checks --split-input-file | FileCheck %s

// The check is one thread's; what comes behind it does nothing where one has
// failed. What comes before is as it was.
// CHECK-LABEL: func.func @gather
// CHECK-SAME:    %{{.+}}: !llvm.ptr, %[[FLAG:.+]]: memref<i8>, %[[M:.+]]: memref<4xf32>, %[[N:.+]]: index
// CHECK:         %[[RECORD:.+]] = rt.check_record : memref<3xi64>
// CHECK:         gpu.launch
// CHECK-NOT:       scf.if
// CHECK:           memref.store %{{.+}}, %[[FLAG]][]
// CHECK:         %[[SITE:.+]] = rt.check_site 3, "'gather' at x.mlir:1", "[WEIR0330] an index is outside 0 <= i < {0}"
// CHECK-NOT:     memref.load
// CHECK:         gpu.launch {{.*}} threads(%[[T:.+]], %{{.+}}, %{{.+}}) in (%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// CHECK:           %[[BAD:.+]] = memref.load %[[FLAG]][]
// CHECK:           %[[FINE:.+]] = arith.cmpi eq, %[[BAD]]
// CHECK:           %[[FAILS:.+]] = arith.xori %[[FINE]]
// CHECK:           %[[BEFORE:.+]] = memref.load %[[RECORD]]
// CHECK:           %[[NONE:.+]] = arith.cmpi eq, %[[BEFORE]]
// CHECK:           %[[FIRST:.+]] = arith.andi %[[FAILS]], %[[NONE]]
// CHECK:           scf.if %[[FIRST]]
// CHECK-DAG:         memref.store %[[SITE]], %[[RECORD]]
// CHECK-DAG:         %[[A:.+]] = arith.index_cast %[[N]]
// CHECK-DAG:         memref.store %[[A]], %[[RECORD]]
// CHECK-NOT:     rt.assert
// CHECK:         gpu.launch
// CHECK:           %[[NOW:.+]] = memref.load %[[RECORD]][%{{.+}}] {rt.uniform}
// CHECK:           %[[GOOD:.+]] = arith.cmpi eq, %[[NOW]]
// CHECK:           scf.if %[[GOOD]]
// CHECK:             memref.store %{{.+}}, %[[M]]
func.func @gather(%step: !llvm.ptr, %flag: memref<i8>, %m: memref<4xf32>, %n: index) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i8
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %zero, %flag[] : memref<i8>
    gpu.terminator
  }
  %bad = memref.load %flag[] : memref<i8>
  %fine = arith.cmpi eq, %bad, %zero : i8
  rt.assert %fine, 3, "'gather' at x.mlir:1", "[WEIR0330] an index is outside 0 <= i < {0}"(%n, %c0)
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %one, %m[%tx] : memref<4xf32>
    gpu.terminator
  }
  return
}

// -----

// Checks one after the other are one launch.
// CHECK-LABEL: func.func @places
// CHECK:         rt.check_site 3, "'a'"
// CHECK:         rt.check_site 3, "'b'"
// CHECK:         gpu.launch
// CHECK-COUNT-2:   scf.if
// CHECK:           gpu.terminator
// CHECK-NOT:     gpu.launch
func.func @places(%step: !llvm.ptr, %f: memref<i8>, %g: memref<i8>) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i8
  %0 = memref.load %f[] : memref<i8>
  %1 = arith.cmpi eq, %0, %zero : i8
  rt.assert %1, 3, "'a'", "no" (%c0, %c0)
  %2 = memref.load %g[] : memref<i8>
  %3 = arith.cmpi eq, %2, %zero : i8
  rt.assert %3, 3, "'b'", "no" (%c0, %c0)
  return
}

// -----

// A number of the message may be a value of the device as well.
// CHECK-LABEL: func.func @number
// CHECK:         gpu.launch
// CHECK:           %[[V:.+]] = memref.load %{{.+}}[]
// CHECK:           %[[I:.+]] = arith.index_cast %[[V]] : i32 to index
// CHECK:           scf.if
// CHECK:             %[[A:.+]] = arith.index_cast %[[I]] : index to i64
// CHECK:             memref.store %[[A]]
func.func @number(%step: !llvm.ptr, %count: memref<i32>) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c0 = arith.constant 0 : index
  %0 = memref.load %count[] : memref<i32>
  %1 = arith.index_cast %0 : i32 to index
  %2 = arith.cmpi sgt, %1, %c0 : index
  rt.assert %2, 3, "'a'", "{0} is too small" (%1, %c0)
  return
}

// -----

// The host needs the value itself, and so waits and checks.
// CHECK-LABEL: func.func @size
// CHECK:         memref.load
// CHECK:         rt.assert
// CHECK:         memref.alloc
func.func @size(%step: !llvm.ptr, %count: memref<index>) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c0 = arith.constant 0 : index
  %n = memref.load %count[] : memref<index>
  %fine = arith.cmpi sge, %n, %c0 : index
  rt.assert %fine, 3, "'a'", "{0} is too small" (%n, %c0)
  %m = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return
}

// -----

// What is checked is the value before the launch.
// CHECK-LABEL: func.func @changed
// CHECK:         memref.load
// CHECK:         gpu.launch
// CHECK:         rt.assert
func.func @changed(%step: !llvm.ptr, %flag: memref<i1>, %no: i1) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.load %flag[] : memref<i1>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %no, %flag[] : memref<i1>
    gpu.terminator
  }
  rt.assert %0, 3, "'a'", "no" (%c0, %c0)
  return
}

// -----

// What the host knows by itself, it checks itself.
// CHECK-LABEL: func.func @extents
// CHECK-NOT:     rt.check_record
// CHECK:         rt.assert
func.func @extents(%step: !llvm.ptr, %a: index, %b: index) attributes {rt.entry = {feeds = [], fetches = []}} {
  %0 = arith.cmpi eq, %a, %b : index
  rt.assert %0, 3, "'a'", "[WEIR0331] extents {0} and {1} of its operands differ" (%a, %b)
  return
}

// -----

// In a loop of the host, what stands before the check comes behind it too.
// CHECK-LABEL: func.func @loop
// CHECK:         scf.for
// CHECK:           gpu.launch
// CHECK:             scf.if
// CHECK:               memref.store
// CHECK:           rt.check_site
// CHECK:           gpu.launch
func.func @loop(%step: !llvm.ptr, %flag: memref<i1>, %no: i1, %n: index) attributes {rt.entry = {feeds = [], fetches = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %no, %flag[] : memref<i1>
      gpu.terminator
    }
    %0 = memref.load %flag[] : memref<i1>
    rt.assert %0, 3, "'a'", "no" (%c0, %c0)
  }
  return
}
