// weir-raise-control-flow: frames become scf.while where that is exact.
//
// RUN: weir-opt %s --weir-raise-control-flow --split-input-file | FileCheck %s

// The condition is computed before each iteration and once more; a constant Enter is the value outside.
// CHECK-LABEL: weir.graph @count(%arg0: tensor<i32>)
// CHECK:         %[[L:.+]] = scf.while (%[[I:.+]] = %{{.+}}) : (tensor<i32>) -> tensor<i32> {
// CHECK:           %[[LESS:.+]] = weir.compare %[[I]], %arg0
// CHECK:           %[[P:.+]] = tensor.extract %[[LESS]][]
// CHECK:           scf.condition(%[[P]]) %[[I]]
// CHECK:         } do {
// CHECK:         ^bb0(%[[J:.+]]: tensor<i32>):
// CHECK:           %[[N:.+]] = weir.add %[[J]]
// CHECK:           scf.yield %[[N]]
// CHECK:         }
// CHECK:         weir.fetch %[[L]]
weir.graph @count(%n: tensor<i32>) -> tensor<i32> {
  %zero = weir.constant dense<0> : tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %n0, %c1 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %less = weir.compare %m, %n0 {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %inc = weir.add %t, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %next, %c5 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// -----

// Values of the condition's part are handed to the body and behind the loop; nodes between Switch and Exit run once,
// behind it; variables that are not exited are carried all the same.
// CHECK-LABEL: weir.graph @parts
// CHECK:         %[[L:.+]]:3 = scf.while (%[[I:.+]] = %{{.+}}, %[[X:.+]] = %arg0)
// CHECK:           %[[S:.+]] = weir.square %[[X]]
// CHECK:           %[[LESS:.+]] = weir.compare %[[I]]
// CHECK:           scf.condition(%{{.+}}) %[[I]], %[[X]], %[[S]]
// CHECK:         ^bb0(%[[I1:.+]]: tensor<i32>, %[[X1:.+]]: tensor<f32>, %[[S1:.+]]: tensor<f32>):
// CHECK-DAG:       %[[A:.+]] = weir.add %[[S1]], %[[X1]]
// CHECK-DAG:       %[[N:.+]] = weir.add %[[I1]]
// CHECK:           scf.yield %[[N]], %[[A]]
// CHECK:         %[[E:.+]] = weir.exp %[[L]]#2
// CHECK:         weir.fetch %[[E]]
weir.graph @parts(%x: tensor<f32>) -> tensor<f32> {
  %zero = weir.constant dense<0> : tensor<i32>
  %ten = weir.constant dense<10> : tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %x0, %c1 = weir.enter %x {frame = "f"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %mx, %ixx, %c2x = weir.merge %x0, %nextx : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %square = weir.square %mx : (tensor<f32>) -> tensor<f32>
  %less = weir.compare %m, %ten {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %fx, %tx, %c4x = weir.switch %mx, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %fs, %ts, %c4s = weir.switch %square, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %inc = weir.add %t, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %sum = weir.add %ts, %tx : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %next, %c5 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %nextx, %c5x = weir.next_iteration %sum : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %e = weir.exp %fs : (tensor<f32>) -> tensor<f32>
  %out, %c6 = weir.exit %e : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %out : tensor<f32>
}

// -----

// The index of the merge at which a variable enters is 0 in the first iteration and 1 in all others.
// CHECK-LABEL: weir.graph @header_index
// CHECK:         scf.while (%{{.+}} = %{{.+}}, %[[INDEX:.+]] = %[[ZERO:.+]])
// CHECK:         ^bb0(%[[I:.+]]: tensor<i32>, %[[INDEX1:.+]]: tensor<i32>):
// CHECK:           weir.add %[[I]], %[[INDEX1]]
// CHECK:           %[[ONE:.+]] = weir.constant dense<1>
// CHECK:           scf.yield %{{.+}}, %[[ONE]]
weir.graph @header_index(%x: tensor<i32>) -> tensor<i32> {
  %ten = weir.constant dense<10> : tensor<i32>
  %i0, %c0 = weir.enter %x {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %less = weir.compare %m, %ten {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %fi, %ti, %c5 = weir.switch %ix, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %inc = weir.add %t, %ti : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  %inc1 = weir.add %inc, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %next, %c6 = weir.next_iteration %inc1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c7 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// -----

// State in the body and in the condition's part: the effects are ordered by their control edges, and the read behind
// the loop waits for it.
// CHECK-LABEL: weir.graph @state
// CHECK:         %[[L:.+]]:2 = scf.while
// CHECK:           %[[W:.+]], %[[R:.+]] = weir.read @w
// CHECK:           scf.condition(%{{.+}}) %{{.+}}, %[[R]] : tensor<i32>, !weir.control
// CHECK:         ^bb0(%[[I:.+]]: tensor<i32>, %[[RC:.+]]: !weir.control):
// CHECK:           %[[A:.+]] = weir.assign_add @w, %{{.+}} after(%[[RC]]
// CHECK:           weir.identity %{{.+}} after(%[[A]])
// CHECK:         %[[D:.+]] = weir.completed %[[L]]#0
// CHECK:         weir.read @w after(%[[D]])
module {
  weir.variable @w : tensor<i32>
  weir.graph @state(%x: tensor<i32>) -> tensor<i32> {
    %ten = weir.constant dense<10> : tensor<i32>
    %i0, %c0 = weir.enter %x {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %start = weir.completed %m : tensor<i32>
    %w, %r = weir.read @w after(%start) : tensor<i32>
    %less = weir.compare %w, %ten {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %c = weir.assign_add @w, %t after(%r) : tensor<i32>
    %again = weir.identity %t after(%c) : (tensor<i32>) -> tensor<i32>
    %next, %c6 = weir.next_iteration %again : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %out, %c7 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %last, %c8 = weir.read @w after(%c7) : tensor<i32>
    weir.fetch %last : tensor<i32>
  }
}

// -----

// A loop in a loop, with a conditional in the inner one.
// CHECK-LABEL: weir.graph @nested
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           scf.while
// CHECK:           } do {
// CHECK:             scf.if
// CHECK:             scf.yield
// CHECK:           }
// CHECK:           scf.yield
// CHECK:         }
// CHECK-NOT:     weir.{{enter|exit|switch|merge|next_iteration}}
weir.graph @nested(%x: tensor<i32>) -> tensor<i32> {
  %five = weir.constant dense<5> : tensor<i32>
  %zero = weir.constant dense<0> : tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  %a0, %c0 = weir.enter %zero {frame = "outer"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %s0, %c1 = weir.enter %x {frame = "outer"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %a, %ai, %c2 = weir.merge %a0, %an : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %s, %si, %c3 = weir.merge %s0, %sn : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %l = weir.compare %a, %five {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c4 = weir.loop_cond %l : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %af, %at, %c5 = weir.switch %a, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %sf, %st, %c6 = weir.switch %s, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %inc = weir.add %at, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %an, %c7 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  // The inner loop: from the sum on, five times, plus one where even.
  %b0, %d0 = weir.enter %at {frame = "inner"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %u0, %d1 = weir.enter %st {frame = "inner"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %b, %bi, %d2 = weir.merge %b0, %bn : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %u, %ui, %d3 = weir.merge %u0, %un : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %k = weir.compare %b, %five {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %q, %d4 = weir.loop_cond %k : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %bf, %bt, %d5 = weir.switch %b, %q : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %uf, %ut, %d6 = weir.switch %u, %q : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %big = weir.compare %ut, %five {predicate = #weir.compare<gt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %vf, %vt, %d7 = weir.switch %ut, %big : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %more = weir.add %vf, %bt : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %v, %vi, %d8 = weir.merge %more, %vt : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %binc = weir.add %bt, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %bn, %d9 = weir.next_iteration %binc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %un, %d10 = weir.next_iteration %v : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %uo, %d11 = weir.exit %uf : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %sn, %c8 = weir.next_iteration %uo : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c9 = weir.exit %sf : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// -----

// A loop on one side of a conditional runs on that side only.
// CHECK-LABEL: weir.graph @in_a_branch
// CHECK:         scf.if
// CHECK:           scf.while
// CHECK:           scf.yield
// CHECK:         } else {
// CHECK-NOT:       scf.while
// CHECK:         }
weir.graph @in_a_branch(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %ten = weir.constant dense<10> : tensor<i32>
  %xf, %xt, %k = weir.switch %x, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %i0, %c0 = weir.enter %xt {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %less = weir.compare %m, %ten {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %q, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %q : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %inc = weir.add %t, %ten : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %next, %c5 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %neg = weir.neg %xf : (tensor<i32>) -> tensor<i32>
  %y, %yi, %c7 = weir.merge %neg, %out : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<i32>
}
