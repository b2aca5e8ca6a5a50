// RUN: weir-opt %s --weir-simplify-fold-switches --split-input-file | FileCheck %s
// Sides that a constant predicate never takes go; what is dead stays dead for those who can tell.

// The side that is taken is the operand, the merge is its only live operand, and its index the number of that.
// CHECK-LABEL: weir.graph @both_sides
// CHECK-NOT:     weir.switch
// CHECK-NOT:     weir.neg
// CHECK:         %[[X:.+]] = weir.identity %arg0 {weir.name = "s"}
// CHECK:         %[[E:.+]] = weir.exp %[[X]]
// CHECK:         %[[Y:.+]] = weir.identity %[[E]] {weir.name = "m"}
// CHECK:         %[[ONE:.+]] = weir.constant dense<1> : tensor<i32>
// CHECK:         %[[DONE:.+]] = weir.completed %[[E]]
// CHECK:         %[[I:.+]] = weir.identity %[[ONE]] after(%[[DONE]])
// CHECK:         weir.fetch %[[Y]], %[[I]]
module {
  weir.graph @both_sides(%x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
    %p = weir.constant dense<true> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p {weir.name = "s"} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n = weir.neg %f : (tensor<f32>) -> tensor<f32>
    %e = weir.exp %t : (tensor<f32>) -> tensor<f32>
    %y, %i, %m = weir.merge %n, %e {weir.name = "m"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y, %i : tensor<f32>, tensor<i32>
  }
}

// -----

// A fetch of what is dead is an error that names the switch: it stays, and so does all between the two. The other side
// is folded all the same.
// CHECK-LABEL: weir.graph @fetched
// CHECK:         %[[X:.+]] = weir.identity %arg0
// CHECK:         %[[F:.+]], %{{.+}}, %{{.+}} = weir.switch %arg0
// CHECK:         %[[N:.+]] = weir.neg %[[F]]
// CHECK:         weir.exp %[[X]]
// CHECK:         weir.fetch %[[N]], %{{.+}} :
module {
  weir.graph @fetched(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %p = weir.constant dense<true> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n = weir.neg %f : (tensor<f32>) -> tensor<f32>
    %e = weir.exp %t : (tensor<f32>) -> tensor<f32>
    weir.fetch %n, %e : tensor<f32>, tensor<f32>
  }
}

// -----

// An element is taken, though only a dead node uses it; and the control edge of a dead target is no edge.
// CHECK-LABEL: weir.graph @effects
// CHECK:         %[[V:.+]], %[[TAKEN:.+]] = weir.dequeue
// CHECK-NOT:     weir.add
// CHECK:         %[[DONE:.+]] = weir.completed %[[V]]
// CHECK:         weir.fetch %{{[^ ]+}} after(%[[DONE]])
module {
  weir.queue @q capacity 8 of tensor<f32>
  weir.graph @effects(%x: tensor<f32>) -> tensor<f32> {
    %q = weir.handle @q
    %v, %taken = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
    %p = weir.constant dense<false> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %a = weir.add %t, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %dead = weir.completed %a : tensor<f32>
    weir.fetch %f after(%dead) : tensor<f32>
  }
}

// -----

// Dead nodes wait for all their operands, and a control trigger for the dead node: so for the assignment.
// CHECK-LABEL: weir.graph @trigger
// CHECK:         %[[ASSIGNED:.+]] = weir.assign @w
// CHECK:         %[[TRIGGER:.+]] = weir.control_trigger after(%[[ASSIGNED]])
// CHECK:         weir.read @w after(%[[TRIGGER]])
module {
  weir.variable @w : tensor<f32>
  weir.graph @trigger(%x: tensor<f32>) -> tensor<f32> {
    %assigned = weir.assign @w, %x : tensor<f32>
    %p = weir.constant dense<false> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n = weir.neg %t after(%assigned) : (tensor<f32>) -> tensor<f32>
    %dead = weir.completed %n : tensor<f32>
    %trigger = weir.control_trigger after(%dead) : () -> !weir.control
    %w, %r = weir.read @w after(%trigger) : tensor<f32>
    weir.fetch %w : tensor<f32>
  }
}

// -----

// An index out of range is that of the last side.
// CHECK-LABEL: weir.graph @last_of_n
// CHECK-NOT:     weir.switch_n
// CHECK-NOT:     weir.neg
// CHECK:         %[[E:.+]] = weir.exp
// CHECK:         %[[Y:.+]] = weir.identity %[[E]]
// CHECK:         weir.fetch %[[Y]]
module {
  weir.graph @last_of_n(%x: tensor<f32>) -> tensor<f32> {
    %p = weir.constant dense<-1> : tensor<i32>
    %a, %b, %d, %c = weir.switch_n %x, %p : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, !weir.control)
    %n = weir.neg %a : (tensor<f32>) -> tensor<f32>
    %s = weir.square %b : (tensor<f32>) -> tensor<f32>
    %e = weir.exp %d : (tensor<f32>) -> tensor<f32>
    %y, %i, %m = weir.merge %n, %s, %e : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}

// -----

// A merge of which two operands are left is one of two; but not where somebody counts them.
// CHECK-LABEL: weir.graph @several
// CHECK:         %{{.+}}, %{{.+}}, %{{.+}} = weir.merge %{{[^,]+}}, %{{[^,]+}} : (tensor<f32>, tensor<f32>)
module {
  weir.graph @several(%x: tensor<f32>, %q: tensor<i1>) -> tensor<f32> {
    %p = weir.constant dense<true> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %g, %u, %d = weir.switch %t, %q : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %y, %i, %m = weir.merge %f, %g, %u : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
  // CHECK-LABEL: weir.graph @counted
  // CHECK:         %[[F:.+]], %{{.+}}, %{{.+}} = weir.switch %arg0
  // CHECK:         weir.merge %[[F]], %{{.+}}, %{{.+}} : (tensor<f32>, tensor<f32>, tensor<f32>)
  weir.graph @counted(%x: tensor<f32>, %q: tensor<i1>) -> tensor<i32> {
    %p = weir.constant dense<true> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %g, %u, %d = weir.switch %t, %q : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %y, %i, %m = weir.merge %f, %g, %u : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %i : tensor<i32>
  }
}

// -----

// A loop that a dead value enters is dead by the rules of frames: it stays. So do nodes of frames.
// CHECK-LABEL: weir.graph @loop
// CHECK:         weir.switch %arg0
// CHECK:         weir.enter
module {
  weir.graph @loop(%x: tensor<f32>, %q: tensor<i1>) -> tensor<f32> {
    %p = weir.constant dense<true> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %e, %ec = weir.enter %f {frame = "loop"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %k, %kc = weir.enter %q {frame = "loop", is_constant} : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %m, %mi, %mc = weir.merge %e, %n : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %sf, %st, %sc = weir.switch %m, %k : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n, %nc = weir.next_iteration %st : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %o, %oc = weir.exit %sf : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %y, %yi, %yc = weir.merge %o, %t : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}

// -----

// A predicate may wait for something, and be dead itself.
// CHECK-LABEL: weir.graph @late_predicate
// CHECK:         %[[R:.+]] = weir.completed %[[P:.+]] : tensor<i1>
// CHECK:         weir.identity %arg0 after(%[[R]])
module {
  weir.variable @w : tensor<f32>
  weir.graph @late_predicate(%x: tensor<f32>) -> tensor<f32> {
    %assigned = weir.assign @w, %x : tensor<f32>
    %true = weir.constant dense<true> : tensor<i1>
    %p = weir.identity %true after(%assigned) : (tensor<i1>) -> tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    weir.fetch %t : tensor<f32>
  }
}

// -----

// What no fetch needed does not run because of that.
// CHECK-LABEL: weir.graph @unneeded
// CHECK:         %[[Y:.+]] = weir.identity %arg0
// CHECK:         weir.fetch %[[Y]] :
module {
  weir.queue @q capacity 8 of tensor<f32>
  weir.graph @unneeded(%x: tensor<f32>) -> tensor<f32> {
    %q = weir.handle @q
    %v, %taken = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
    %p = weir.constant dense<false> : tensor<i1>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %a = weir.add %t, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %f : tensor<f32>
  }
}
