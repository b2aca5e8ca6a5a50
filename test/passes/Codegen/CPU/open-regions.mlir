// weir-cpu-open-regions: where a step may end there are blocks; other loops stay.
//
// RUN: weir-opt %s --weir-cpu-open-regions | FileCheck %s

// CHECK-LABEL: func.func @checked
// CHECK-NOT:     scf.while
// CHECK:         cf.br ^[[TEST:bb[0-9]+]]
// CHECK:       ^[[TEST]]
// CHECK:         rt.assert
// CHECK:         cf.cond_br
// CHECK:         scf.for
func.func @checked(%n: index, %a: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %r = scf.while (%i = %n) : (index) -> index {
    %p = arith.cmpi sgt, %i, %c0 : index
    rt.assert %p, 3, "node", "[WEIR0330] wrong"(%i, %i)
    scf.condition(%p) %i : index
  } do {
  ^bb0(%i: index):
    scf.for %j = %c0 to %i step %c1 {
      memref.store %f, %m[%j] : memref<?xf32>
    }
    %j = arith.subi %i, %c1 : index
    scf.yield %j : index
  }
  return
}

// CHECK-LABEL: func.func @plain
// CHECK:         scf.if
func.func @plain(%p: i1, %a: f32, %b: f32) -> f32 {
  %r = scf.if %p -> f32 {
    %s = arith.addf %a, %b : f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  return %r : f32
}

// A loop that polls: the inner one, which counts, ends at its condition or after so many iterations; the outer one
// polls, which leaves the step where it is over, and begins again with what the last iteration yielded.
// CHECK-LABEL: func.func @polled
// CHECK:         cf.br ^[[OUTER:bb[0-9]+]](%{{.+}} : i64)
// CHECK:       ^[[OUTER]](%[[X:.+]]: i64):
// CHECK:         %[[MANY:.+]] = arith.constant {{[1-9][0-9][0-9][0-9]+}} : i32
// CHECK:         cf.br ^[[INNER:bb[0-9]+]](%[[X]], %[[MANY]] : i64, i32)
// CHECK:       ^[[INNER]](%[[I:.+]]: i64, %[[N:.+]]: i32):
// CHECK:         cf.cond_br %{{.+}}, ^[[BODY:bb[0-9]+]](%[[I]] : i64), ^[[BEHIND:bb[0-9]+]]
// CHECK:       ^[[BODY]](%[[J:.+]]: i64):
// CHECK:         %[[NEXT:.+]] = arith.subi %[[J]]
// CHECK-NOT:     rt.poll
// CHECK:         %[[LEFT:.+]] = arith.subi %[[N]], %{{.+}} : i32
// CHECK:         %[[NONE:.+]] = arith.cmpi eq, %[[LEFT]]
// CHECK:         cf.cond_br %[[NONE]], ^[[POLL:bb[0-9]+]], ^[[INNER]](%[[NEXT]], %[[LEFT]] : i64, i32)
// CHECK:       ^[[POLL]]:
// CHECK-NEXT:    rt.poll
// CHECK-NEXT:    cf.br ^[[OUTER]](%[[NEXT]] : i64)
// CHECK:       ^[[BEHIND]]:
// CHECK:         return
func.func @polled(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.while (%i = %n) : (i64) -> i64 {
    %p = arith.cmpi sgt, %i, %c0 : i64
    scf.condition(%p) %i : i64
  } do {
  ^bb0(%i: i64):
    rt.poll
    %j = arith.subi %i, %c1 : i64
    scf.yield %j : i64
  }
  return %r : i64
}

// The more an iteration does, the fewer there are between two polls; of one that takes long, each polls.
// CHECK-LABEL: func.func @long_iterations
// CHECK-NOT:     : i32
// CHECK:         scf.for
// CHECK:         rt.poll
// CHECK-NEXT:    cf.br
// CHECK-NOT:     : i32
// CHECK:         return
func.func @long_iterations(%n: i64, %m: memref<100000xf32>) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 100000 : index
  %f = arith.constant 1.0 : f32
  %r = scf.while (%i = %n) : (i64) -> i64 {
    %p = arith.cmpi sgt, %i, %c0 : i64
    scf.condition(%p) %i : i64
  } do {
  ^bb0(%i: i64):
    rt.poll
    scf.for %k = %z to %end step %one {
      memref.store %f, %m[%k] : memref<100000xf32>
    }
    %j = arith.subi %i, %c1 : i64
    scf.yield %j : i64
  }
  return %r : i64
}
