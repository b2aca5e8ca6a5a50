// weir-schedule-order-program: conditionals and loops in a straight line.
//
// RUN: weir-opt %s --weir-schedule-order-program --split-input-file | FileCheck %s

// A variable that surely has a value is a result of the conditional: the new value or the old one. It is written where
// it was assigned only.
// CHECK-LABEL: func.func @one_side
// CHECK:         %[[W:.+]] = rt.read_variable @w "'weir.read'
// CHECK:         %[[R:.+]]:2 = scf.if %{{.+}} -> (tensor<2xf32>, i1) {
// CHECK:           %[[N:.+]] = weir.add %[[W]]
// CHECK:           scf.yield %[[N]], %[[TRUE:.+]] : tensor<2xf32>, i1
// CHECK:         } else {
// CHECK:           scf.yield %[[W]], %[[FALSE:.+]] : tensor<2xf32>, i1
// CHECK:         }
// CHECK:         scf.if %[[R]]#1 {
// CHECK:           rt.write_variable @w, %[[R]]#0
// CHECK:         }
// CHECK:         rt.fetch 0, %[[W]]
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @one_side(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %w, %r = weir.read @w : tensor<2xf32>
    %c = tensor.extract %p[] : tensor<i1>
    %done = scf.if %c -> (!weir.control) {
      %a = weir.assign_add @w, %x after(%r) : tensor<2xf32>
      scf.yield %a : !weir.control
    } else {
      %n = weir.no_op after(%r)
      scf.yield %n : !weir.control
    }
    weir.fetch %w after(%done) : tensor<2xf32>
  }
}

// -----

// Assigned on both sides, it is written as ever, and no value of it is needed before.
// CHECK-LABEL: func.func @both_sides
// CHECK-NOT:     rt.assert
// CHECK:         %[[R:.+]] = scf.if %{{.+}} -> (tensor<2xf32>) {
// CHECK-NOT:     scf.if
// CHECK:         rt.write_variable @w, %[[R]]
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @both_sides(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) {
    %c = tensor.extract %p[] : tensor<i1>
    %done = scf.if %c -> (!weir.control) {
      %a = weir.assign @w, %x : tensor<2xf32>
      scf.yield %a : !weir.control
    } else {
      %a = weir.assign @w, %y : tensor<2xf32>
      scf.yield %a : !weir.control
    }
    weir.fetch after(%done)
  }
}

// -----

// A variable that is only read on one side: its memory is there, and that it has a value is asked for on that side.
// CHECK-LABEL: func.func @lazy
// CHECK:         %[[W:.+]] = rt.read_variable @w "" : tensor<2xf32>
// CHECK:         %[[HAS:.+]] = rt.variable_initialized @w
// CHECK:         scf.if
// CHECK:           rt.assert %[[HAS]], 9, "'weir.read' at {{.*}}", "[WEIR0306] variable 'w' is read before it has a value; assign it first"
// CHECK:           scf.yield %[[W]]
// CHECK:         } else {
// CHECK-NOT:       rt.assert
// CHECK:         }
// CHECK-NOT:     rt.write_variable
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @lazy(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %c = tensor.extract %p[] : tensor<i1>
    %y = scf.if %c -> (tensor<2xf32>) {
      %w, %r = weir.read @w : tensor<2xf32>
      scf.yield %w : tensor<2xf32>
    } else {
      scf.yield %x : tensor<2xf32>
    }
    weir.fetch %y : tensor<2xf32>
  }
}

// -----

// Whether it has a value behind a side that assigns it is a result, too; so is the answer to that question.
// CHECK-LABEL: func.func @maybe
// CHECK:         %[[HAS:.+]] = rt.variable_initialized @w
// CHECK:         %[[R:.+]]:3 = scf.if %{{.+}} -> (tensor<2xf32>, i1, i1) {
// CHECK:         } else {
// CHECK:           scf.yield %{{.+}}, %[[HAS]], %{{.+}}
// CHECK:         }
// CHECK:         arith.extui %[[R]]#1
// CHECK:         rt.assert %[[R]]#1
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @maybe(%p: tensor<i1>, %x: tensor<2xf32>) -> (tensor<i1>, tensor<2xf32>) {
    %c = tensor.extract %p[] : tensor<i1>
    %done = scf.if %c -> (!weir.control) {
      %a = weir.assign @w, %x : tensor<2xf32>
      scf.yield %a : !weir.control
    } else {
      %n = weir.no_op
      scf.yield %n : !weir.control
    }
    %b, %bc = weir.is_initialized @w after(%done) : tensor<i1>
    %w, %r = weir.read @w after(%bc) : tensor<2xf32>
    weir.fetch %b, %w : tensor<i1>, tensor<2xf32>
  }
}

// -----

// A loop carries what it assigns, behind its own values and before what its condition hands on; control edges are gone.
// It polls in each iteration.
// CHECK-LABEL: func.func @loop
// CHECK:         %[[W:.+]] = rt.read_variable @w "'weir.read'
// CHECK:         %[[L:.+]]:4 = scf.while (%[[I:.+]] = %{{.+}}, %[[V:.+]] = %[[W]], %[[D:.+]] = %{{.+}}) : (tensor<i32>, tensor<i32>, i1) -> (tensor<i32>, tensor<i32>, i1, tensor<i32>) {
// CHECK:           %[[S:.+]] = weir.square %[[I]]
// CHECK:           scf.condition(%{{.+}}) %[[I]], %[[V]], %[[D]], %[[S]]
// CHECK:         } do {
// CHECK:         ^bb0(%[[I1:.+]]: tensor<i32>, %[[V1:.+]]: tensor<i32>, %{{.+}}: i1, %[[S1:.+]]: tensor<i32>):
// CHECK:           %[[N:.+]] = weir.add %[[V1]], %[[S1]]
// CHECK:           rt.poll
// CHECK:           scf.yield %{{.+}}, %[[N]], %{{.+}} : tensor<i32>, tensor<i32>, i1
// CHECK:         }
// CHECK:         scf.if %[[L]]#2 {
// CHECK:           rt.write_variable @w, %[[L]]#1
// CHECK:         rt.fetch 0, %[[W]]
module {
  weir.variable @w : tensor<i32>
  weir.graph @loop(%n: tensor<i32>) -> tensor<i32> {
    %w, %r = weir.read @w : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %l:3 = scf.while (%i = %zero, %k = %r) : (tensor<i32>, !weir.control) -> (tensor<i32>, !weir.control, tensor<i32>) {
      %s = weir.square %i : (tensor<i32>) -> tensor<i32>
      %less = weir.compare %i, %n {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c = tensor.extract %less[] : tensor<i1>
      scf.condition(%c) %i, %k, %s : tensor<i32>, !weir.control, tensor<i32>
    } do {
    ^bb0(%i: tensor<i32>, %k: !weir.control, %s: tensor<i32>):
      %a = weir.assign_add @w, %s after(%k) : tensor<i32>
      %next = weir.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      scf.yield %next, %a : tensor<i32>, !weir.control
    }
    weir.fetch %w after(%l#1) : tensor<i32>
  }
}

// -----

// A scatter takes the old value and gives the new one.
// CHECK-LABEL: func.func @scatter
// CHECK:         %[[W:.+]] = rt.read_variable @w "'weir.assign_scatter'
// CHECK:         %[[N:.+]] = weir.scatter %[[W]], %{{.+}}, %{{.+}} {kind = #weir.scatter_kind<add>}
// CHECK:         rt.write_variable @w, %[[N]]
module {
  weir.variable @w : tensor<9x2xf32>
  weir.graph @scatter(%i: tensor<?xi32>, %v: tensor<?x2xf32>) {
    %c = weir.assign_scatter @w, %i, %v {kind = #weir.scatter_kind<add>} : tensor<?xi32>, tensor<?x2xf32>
    weir.fetch after(%c)
  }
}
