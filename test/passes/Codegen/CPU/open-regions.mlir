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
