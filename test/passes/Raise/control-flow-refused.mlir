// weir-raise-control-flow: what is not exact stays dataflow, and a remark says why.
//
// RUN: weir-opt %s -verify-diagnostics --weir-raise-control-flow --split-input-file | FileCheck %s

// A side that is fetched: that it may be dead is an error of the step, which a straight line cannot have.
// CHECK-LABEL: weir.graph @fetched
// CHECK:         weir.switch
weir.graph @fetched(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{the conditional of 'choice' stays dataflow: 'weir.fetch': a side of it is fetched}}
  %f, %t, %c0 = weir.switch %x, %p {weir.name = "choice"} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  // expected-note@below {{it is here}}
  weir.fetch %t : tensor<f32>
}

// -----

// A queue may wait, which a straight line cannot. The other conditional is raised.
// CHECK-LABEL: weir.graph @waits
// CHECK:         weir.switch
// CHECK:         weir.merge
// CHECK:         scf.if
// CHECK:           weir.exp
module {
  weir.queue @q capacity 10 of tensor<f32>
  weir.graph @waits(%p: tensor<i1>, %o: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %q = weir.handle @q
    // expected-remark@below {{the conditional of 'weir.switch' stays dataflow: 'take': it is a call of the runtime, which may wait}}
    %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %live = weir.completed %t : tensor<f32>
    // expected-note@below {{it is here}}
    %d, %cd = weir.dequeue %q after(%live) {weir.name = "take"} : (!weir.resource) -> (tensor<f32>, !weir.control)
    %y, %i, %c1 = weir.merge %f, %d : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %of, %ot, %c2 = weir.switch %x, %o : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %e = weir.exp %ot : (tensor<f32>) -> tensor<f32>
    %z, %i1, %c3 = weir.merge %of, %e : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y, %z : tensor<f32>, tensor<f32>
  }
}

// -----

// As one, the conditional would hold the enqueue back until the dequeue, which may wait for it, gave its value.
// CHECK-LABEL: weir.graph @holds_back
// CHECK:         weir.switch
module {
  weir.queue @q capacity 10 of tensor<f32>
  weir.graph @holds_back(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
    %q = weir.handle @q
    // expected-remark@below {{stays dataflow: 'weir.merge': as one it would hold back what it waits for}}
    %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n = weir.neg %t : (tensor<f32>) -> tensor<f32>
    // expected-note@below {{it is here}}
    %y, %i, %c1 = weir.merge %f, %n : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %put = weir.enqueue %q, %y : (!weir.resource, tensor<f32>) -> !weir.control
    %d, %cd = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
    %df, %dt, %c2 = weir.switch %d, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %e = weir.exp %dt : (tensor<f32>) -> tensor<f32>
    %z, %i1, %c3 = weir.merge %df, %e : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %z after(%put) : tensor<f32>
  }
}

// -----

// Both operands may be live, and then the first to come counts.
// CHECK-LABEL: weir.graph @both
// CHECK:         weir.merge
weir.graph @both(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  // expected-remark@below {{stays dataflow: 'weir.merge': its operands are not the sides of a predicate, of which always one is taken}}
  %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  // expected-remark@below {{stays dataflow: 'weir.merge': its operands are not the sides of a predicate}}
  %qf, %qt, %c2 = weir.switch %x, %q : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  // expected-note@below {{it is here}}
  %y, %i, %c1 = weir.merge %f, %qt : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// The rank of what is switched is not known.
// CHECK-LABEL: weir.graph @rank
// CHECK:         weir.merge
weir.graph @rank(%p: tensor<i1>, %x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-remark@below {{stays dataflow: 'weir.identity': the rank of its result is not known}}
  %f, %t, %c0 = weir.switch %x, %p : (tensor<*xf32>, tensor<i1>) -> (tensor<*xf32>, tensor<*xf32>, !weir.control)
  // expected-note@below {{it is here}}
  %a = weir.identity %t : (tensor<*xf32>) -> tensor<*xf32>
  %y, %i, %c1 = weir.merge %f, %a : (tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<*xf32>
}

// -----

// A loop whose body may wait.
// CHECK-LABEL: weir.graph @loop_waits
// CHECK:         weir.enter
// CHECK:         weir.exit
module {
  weir.queue @q capacity 10 of tensor<i32>
  weir.graph @loop_waits(%x: tensor<i32>) -> tensor<i32> {
    %q = weir.handle @q
    %ten = weir.constant dense<10> : tensor<i32>
    %i0, %c0 = weir.enter %x {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %less = weir.compare %m, %ten {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    // expected-remark@below {{the loop of 'again' stays dataflow: 'take': it is a call of the runtime, which may wait}}
    %p, %c3 = weir.loop_cond %less {weir.name = "again"} : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %go = weir.completed %t : tensor<i32>
    // expected-note@below {{it is here}}
    %d, %cd = weir.dequeue %q after(%go) {weir.name = "take"} : (!weir.resource) -> (tensor<i32>, !weir.control)
    %sum = weir.add %t, %d : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %next, %c5 = weir.next_iteration %sum : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %out : tensor<i32>
  }
}

// -----

// A variable that does not get a value for each iteration: the loop ends when it is missing, not by the condition alone.
// CHECK-LABEL: weir.graph @sometimes
// CHECK:         weir.next_iteration
weir.graph @sometimes(%x: tensor<i32>, %q: tensor<i1>) -> tensor<i32> {
  %ten = weir.constant dense<10> : tensor<i32>
  %i0, %c0 = weir.enter %x {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %q0, %c1 = weir.enter %q {frame = "f", is_constant} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %less = weir.compare %m, %ten {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-remark@below {{stays dataflow: 'weir.next_iteration': it does not give a value to each iteration that the condition allows}}
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  // expected-remark@below {{stays dataflow: 'weir.next_iteration': it belongs to a loop that stays dataflow}}
  %tf, %tt, %c5 = weir.switch %t, %q0 : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  // expected-note@below {{it is here}}
  %next, %c6 = weir.next_iteration %tt : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c7 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// -----

// A loop without a condition never ends by itself.
// CHECK-LABEL: weir.graph @endless
// CHECK:         weir.enter
weir.graph @endless(%x: tensor<i32>) -> tensor<i32> {
  // expected-remark@below {{the loop of 'weir.enter' stays dataflow: it has no condition}}
  %i0, %c0 = weir.enter %x {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %next, %c6 = weir.next_iteration %m : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c7 = weir.exit %m : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// -----

// What it carries may grow: no straight line knows the memory of it.
// CHECK-LABEL: weir.graph @grows
// CHECK:         weir.enter
weir.graph @grows(%x: tensor<?xi32>, %n: tensor<i32>) -> tensor<?xi32> {
  %zero = weir.constant dense<0> : tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %x0, %c00 = weir.enter %x {frame = "f"} : (tensor<?xi32>) -> (tensor<?xi32>, !weir.control)
  %n0, %c1 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  // expected-note@below {{it is here}}
  %mx, %ixx, %c2x = weir.merge %x0, %nextx : (tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<i32>, !weir.control)
  %less = weir.compare %m, %n0 {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-remark@below {{stays dataflow: 'weir.merge': the extents of the value that it carries are not known}}
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %fx, %tx, %c4x = weir.switch %mx, %p : (tensor<?xi32>, tensor<i1>) -> (tensor<?xi32>, tensor<?xi32>, !weir.control)
  %inc = weir.add %t, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %twice = weir.concat %tx, %tx {axis = 0 : i64} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %next, %c5 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %nextx, %c5x = weir.next_iteration %twice : (tensor<?xi32>) -> (tensor<?xi32>, !weir.control)
  %outx, %c6x = weir.exit %fx : (tensor<?xi32>) -> (tensor<?xi32>, !weir.control)
  weir.fetch %outx : tensor<?xi32>
}

// -----

// What is raised is one node, and so on one device.
weir.graph @two_devices(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  // expected-remark@below {{stays dataflow: 'weir.neg': it asks for a device, and the graph is for several}}
  %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  // expected-note@below {{it is here}}
  %n = weir.neg %f {weir.device = "/cpu:0"} : (tensor<f32>) -> tensor<f32>
  %e = weir.exp %t {weir.device = "/cpu:1"} : (tensor<f32>) -> tensor<f32>
  %y, %i, %d = weir.merge %n, %e : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<f32>
}
