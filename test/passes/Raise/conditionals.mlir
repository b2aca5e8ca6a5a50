// weir-raise-control-flow: Switch and Merge become scf.if where that is exact.
//
// RUN: weir-opt %s --weir-raise-control-flow --split-input-file | FileCheck %s

// A graph without control flow stays as it is.
// CHECK-LABEL: weir.graph @plain
// CHECK-NEXT:    weir.neg
// CHECK-NEXT:    weir.select
// CHECK-NEXT:    weir.fetch
weir.graph @plain(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %n = weir.neg %x : (tensor<f32>) -> tensor<f32>
  %z = weir.select %c, %x, %n : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  weir.fetch %z : tensor<f32>
}

// -----

// The true side is the second one; what stands outside of the sides stays there.
// CHECK-LABEL: weir.graph @simple(%arg0: tensor<i1>, %arg1: tensor<f32>)
// CHECK:         %[[Q:.+]] = weir.square %arg1
// CHECK:         %[[P:.+]] = tensor.extract %arg0[]
// CHECK:         %[[Y:.+]] = scf.if %[[P]] -> (tensor<f32>) {
// CHECK:           %[[E:.+]] = weir.exp %[[Q]]
// CHECK:           scf.yield %[[E]]
// CHECK:         } else {
// CHECK:           %[[N:.+]] = weir.neg %[[Q]]
// CHECK:           scf.yield %[[N]]
// CHECK:         }
// CHECK-NOT:     weir.switch
// CHECK-NOT:     weir.merge
// CHECK:         weir.fetch %[[Y]]
weir.graph @simple(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %s = weir.square %x : (tensor<f32>) -> tensor<f32>
  %f, %t, %c0 = weir.switch %s, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.neg %f : (tensor<f32>) -> tensor<f32>
  %b = weir.exp %t : (tensor<f32>) -> tensor<f32>
  %y, %i, %c1 = weir.merge %a, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// Merge index: a number for each side, that of the operand and not of the side.
// CHECK-LABEL: weir.graph @index
// CHECK:         %[[Y:.+]]:2 = scf.if %{{.+}} -> (tensor<f32>, tensor<i32>) {
// CHECK:           weir.identity %[[ZERO:.+]] after
// CHECK:         } else {
// CHECK:           weir.identity %[[ONE:.+]] after
// CHECK:         }
// CHECK-DAG:     %[[ZERO]] = weir.constant dense<0>
// CHECK-DAG:     %[[ONE]] = weir.constant dense<1>
// CHECK:         weir.fetch %[[Y]]#0, %[[Y]]#1
weir.graph @index(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.neg %f : (tensor<f32>) -> tensor<f32>
  %b = weir.exp %t : (tensor<f32>) -> tensor<f32>
  %y, %i, %c1 = weir.merge %b, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y, %i : tensor<f32>, tensor<i32>
}

// -----

// Several merges on one predicate, one of them without any node on its sides, are one conditional; so is a predicate
// that is the opposite of the other, and one that went through an identity.
// CHECK-LABEL: weir.graph @several
// CHECK:         scf.if %{{.+}} -> (tensor<f32>, tensor<f32>, tensor<f32>) {
// CHECK:           weir.exp
// CHECK:         } else {
// CHECK:           weir.neg
// CHECK:         }
// CHECK-NOT:     scf.if
weir.graph @several(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %not = weir.logical_not %p : (tensor<i1>) -> tensor<i1>
  %same = weir.identity %p : (tensor<i1>) -> tensor<i1>
  %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %f1, %t1, %c2 = weir.switch %x, %not : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %f2, %t2, %c4 = weir.switch %x, %same : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.neg %f : (tensor<f32>) -> tensor<f32>
  %b = weir.exp %t : (tensor<f32>) -> tensor<f32>
  %y, %i, %c1 = weir.merge %a, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %z, %i1, %c3 = weir.merge %t1, %t : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %v, %i2, %c5 = weir.merge %a, %t2 : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y, %z, %v : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A merge of three operands on two predicates, the second of which is only there on one side of the first.
// CHECK-LABEL: weir.graph @three
// CHECK:         scf.if %{{.+}} -> (tensor<f32>) {
// CHECK:           %[[I:.+]] = scf.if
// CHECK:             weir.exp
// CHECK:           else
// CHECK:             weir.neg
// CHECK:           scf.yield %[[I]]
// CHECK:         } else {
// CHECK:           weir.square
// CHECK:         }
weir.graph @three(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %qf, %qt, %c2 = weir.switch %q, %p : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>, !weir.control)
  %tf, %tt, %c3 = weir.switch %t, %qt : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.square %f : (tensor<f32>) -> tensor<f32>
  %b = weir.exp %tt : (tensor<f32>) -> tensor<f32>
  %d = weir.neg %tf : (tensor<f32>) -> tensor<f32>
  %y, %i, %c1 = weir.merge %b, %a, %d : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// Switch of n sides: the last one also stands for all numbers outside.
// CHECK-LABEL: weir.graph @sides
// CHECK:         %[[C0:.+]] = weir.compare %arg0, %{{.+}} {predicate = #weir.compare<eq>}
// CHECK:         scf.if
// CHECK:           weir.neg
// CHECK:         } else {
// CHECK:           weir.compare %arg0, %{{.+}} {predicate = #weir.compare<eq>}
// CHECK:           scf.if
// CHECK:             weir.exp
// CHECK:           } else {
// CHECK:             weir.square
weir.graph @sides(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %s0, %s1, %s2, %c0 = weir.switch_n %x, %n : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.neg %s0 : (tensor<f32>) -> tensor<f32>
  %b = weir.exp %s1 : (tensor<f32>) -> tensor<f32>
  %d = weir.square %s2 : (tensor<f32>) -> tensor<f32>
  %y, %i, %c1 = weir.merge %a, %b, %d : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// A branch that holds state, and is there for its effect only: nothing merges, the control edge leaves the conditional,
// and on the other side it is a node that does nothing.
// CHECK-LABEL: weir.graph @effect
// CHECK:         %[[C:.+]] = scf.if %{{.+}} -> (!weir.control) {
// CHECK:           %[[A:.+]] = weir.assign @w, %arg1
// CHECK:           scf.yield %[[A]]
// CHECK:         } else {
// CHECK:           %[[N:.+]] = weir.no_op
// CHECK:           scf.yield %[[N]]
// CHECK:         }
// CHECK:         weir.fetch after(%[[C]])
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @effect(%p: tensor<i1>, %v: tensor<2xf32>) {
    %f, %t, %c0 = weir.switch %v, %p : (tensor<2xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>, !weir.control)
    %c = weir.assign @w, %t : tensor<2xf32>
    weir.fetch after(%c)
  }
}

// -----

// A constant hangs on the predicate through a control edge from the pivot only. A trigger runs whatever was dead, and
// the read that waits for it runs always.
// CHECK-LABEL: weir.graph @pivot
// CHECK:         %[[C:.+]] = scf.if %{{.+}} -> (!weir.control) {
// CHECK:           %[[T:.+]] = weir.completed %arg0
// CHECK:           %[[V:.+]] = weir.identity %{{.+}} after(%[[T]])
// CHECK:           %[[A:.+]] = weir.assign_add @w, %[[V]]
// CHECK:           scf.yield %[[A]]
// CHECK:         } else {
// CHECK:         %[[J:.+]] = weir.no_op after(%[[C]])
// CHECK:         weir.read @w after(%[[J]])
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @pivot(%p: tensor<i1>) -> tensor<2xf32> {
    %f, %t, %c0 = weir.switch %p, %p : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>, !weir.control)
    %pivot = weir.completed %t : tensor<i1>
    %one = weir.constant dense<1.0> : tensor<2xf32>
    %v = weir.identity %one after(%pivot) : (tensor<2xf32>) -> tensor<2xf32>
    %c = weir.assign_add @w, %v : tensor<2xf32>
    %join = weir.control_trigger after(%c) : () -> !weir.control
    %w, %r = weir.read @w after(%join) : tensor<2xf32>
    weir.fetch %w : tensor<2xf32>
  }
}

// -----

// What comes between two parts of one predicate's side makes two conditionals of it; the value that is used in both
// leaves the first one, and zeros stand for it where nobody looks.
// CHECK-LABEL: weir.graph @between
// CHECK:         %[[FIRST:.+]]:2 = scf.if %{{.+}} -> (tensor<f32>, tensor<f32>) {
// CHECK:           %[[E:.+]] = weir.exp
// CHECK:           scf.yield %[[E]], %[[E]]
// CHECK:         } else {
// CHECK:           %[[ZERO:.+]] = weir.constant dense<0.0
// CHECK:           scf.yield %arg1, %[[ZERO]]
// CHECK:         }
// CHECK:         %[[SUM:.+]] = weir.square %[[FIRST]]#0
// CHECK:         scf.if
// CHECK:           weir.add %[[FIRST]]#1, %[[SUM]]
weir.graph @between(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %e = weir.exp %t : (tensor<f32>) -> tensor<f32>
  %y, %i, %c1 = weir.merge %f, %e : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %s = weir.square %y : (tensor<f32>) -> tensor<f32>
  %sf, %st, %c2 = weir.switch %s, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %u = weir.add %e, %st : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %z, %i1, %c3 = weir.merge %sf, %u : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %z : tensor<f32>
}

// -----

// Two predicates that need each other's results by turns: no conditional waits for itself.
// CHECK-LABEL: weir.graph @turns
// CHECK-COUNT-3: scf.if
// CHECK-NOT:     weir.merge
weir.graph @turns(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.exp %t : (tensor<f32>) -> tensor<f32>
  %y, %i0, %c1 = weir.merge %f, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %yf, %yt, %c2 = weir.switch %y, %q : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %b = weir.neg %yt : (tensor<f32>) -> tensor<f32>
  %z, %i1, %c3 = weir.merge %yf, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %xf, %xt, %c4 = weir.switch %x, %q : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %d = weir.square %xt : (tensor<f32>) -> tensor<f32>
  %u, %i2, %c5 = weir.merge %xf, %d : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %uf, %ut, %c6 = weir.switch %u, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %e = weir.exp %ut : (tensor<f32>) -> tensor<f32>
  %v, %i3, %c7 = weir.merge %uf, %e : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %z, %v : tensor<f32>, tensor<f32>
}

// -----

// A merge waits for its control operands, dead or not.
// CHECK-LABEL: weir.graph @merge_waits
// CHECK:         %[[Y:.+]]:2 = scf.if %{{.+}} -> (tensor<f32>, !weir.control)
// CHECK:         %[[J:.+]] = weir.no_op after(%[[Y]]#1)
// CHECK:         %[[Z:.+]] = weir.identity %[[Y]]#0 after(%[[J]])
// CHECK:         weir.fetch %[[Z]]
module {
  weir.variable @w : tensor<f32>
  weir.graph @merge_waits(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
    %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %c = weir.assign @w, %t : tensor<f32>
    %y, %i, %c1 = weir.merge %f, %t after(%c) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}

// -----

// A predicate that is known leaves one side, and no conditional.
// CHECK-LABEL: weir.graph @known
// CHECK-NOT:     scf.if
// CHECK:         %[[E:.+]] = weir.exp %arg0
// CHECK-NOT:     weir.neg
// CHECK:         weir.fetch %[[E]]
weir.graph @known(%x: tensor<f32>) -> tensor<f32> {
  %p = weir.constant dense<true> : tensor<i1>
  %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.neg %f : (tensor<f32>) -> tensor<f32>
  %b = weir.exp %t : (tensor<f32>) -> tensor<f32>
  %y, %i, %c1 = weir.merge %a, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// Both sides give the same handle: it is known behind the conditional, and what is carried is that it is there.
// CHECK-LABEL: weir.graph @handle
// CHECK:         %[[C:.+]] = scf.if %{{.+}} -> (!weir.control) {
// CHECK:           %[[A:.+]] = weir.assign @w
// CHECK:           %[[H:.+]] = weir.identity %[[Q:.+]] after(%[[A]]) : (!weir.resource)
// CHECK:           weir.completed %[[H]]
// CHECK:         } else {
// CHECK:         %[[K:.+]] = weir.handle @q
// CHECK:         %[[M:.+]] = weir.identity %[[K]] after(%[[C]])
// CHECK:         weir.dequeue %[[M]]
module {
  weir.variable @w : tensor<f32>
  weir.queue @q capacity 10 of tensor<f32>
  weir.graph @handle(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
    %q = weir.handle @q
    %xf, %xt, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %f, %t, %c1 = weir.switch %q, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
    %a = weir.assign @w, %xt : tensor<f32>
    %ta = weir.identity %t after(%a) : (!weir.resource) -> !weir.resource
    %h, %i, %c2 = weir.merge %f, %ta : (!weir.resource, !weir.resource) -> (!weir.resource, tensor<i32>, !weir.control)
    %d, %cd = weir.dequeue %h : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %d : tensor<f32>
  }
}

// -----

// The attribute of the module keeps everything as it is.
// CHECK-LABEL: weir.graph @kept
// CHECK:         weir.switch
// CHECK:         weir.merge
module attributes {rt.no_raise} {
  weir.graph @kept(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
    %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %y, %i, %c1 = weir.merge %f, %t : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}
