// Accesses to state without a path of edges between them are warned of, with
// both places; what cannot meet, or may come in any order, is not.
//
// RUN: weir-opt %s --weir-check-races --verify-diagnostics --split-input-file -o /dev/null

weir.variable @w : tensor<f32>

// A read and an assignment.
weir.graph @unordered(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{'weir.read' is here}}
  %r, %c = weir.read @w : tensor<f32>
  // expected-warning @+1 {{[WEIR0146] 'weir.assign' assigns variable '@w' and 'weir.read' reads it, in no order}}
  %a = weir.assign @w, %x : tensor<f32>
  weir.fetch %r after(%a) : tensor<f32>
}

// A control edge orders them, and so does a value.
weir.graph @ordered(%x: tensor<f32>) -> tensor<f32> {
  %r, %c = weir.read @w : tensor<f32>
  %a = weir.assign @w, %x after(%c) : tensor<f32>
  %s, %d = weir.read @w after(%a) : tensor<f32>
  %y = weir.neg %s : (tensor<f32>) -> tensor<f32>
  %b = weir.assign @w, %y : tensor<f32>
  weir.fetch %r after(%b) : tensor<f32>
}

// Sums come to the same in any order; what no fetch needs does not run.
weir.graph @sums(%x: tensor<f32>) {
  %a = weir.assign_add @w, %x : tensor<f32>
  %b = weir.assign_sub @w, %x : tensor<f32>
  %c = weir.assign @w, %x : tensor<f32>
  weir.fetch after(%a, %b)
}

// Of two sides of one predicate a step runs one.
weir.graph @exclusive(%x: tensor<f32>, %p: tensor<i1>) {
  %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %a = weir.assign @w, %f : tensor<f32>
  %b = weir.assign @w, %t : tensor<f32>
  weir.fetch after(%a, %b)
}

// -----

weir.variable @v : tensor<f32>
weir.variable @w : tensor<f32>

// A handle that may name either variable is an access to both.
weir.graph @handles(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %v = weir.handle @v
  %w = weir.handle @w
  %vf, %vt, %c0 = weir.switch %v, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
  %wf, %wt, %c1 = weir.switch %w, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
  %h, %i, %c2 = weir.merge %vf, %wt : (!weir.resource, !weir.resource) -> (!weir.resource, tensor<i32>, !weir.control)
  // expected-note @+1 {{'weir.assign_resource' is here}}
  %a = weir.assign_resource %h, %x : (!weir.resource, tensor<f32>) -> !weir.control
  // expected-warning @+1 {{[WEIR0146] 'weir.read' reads variable '@w' and 'weir.assign_resource' assigns it}}
  %r, %c3 = weir.read @w : tensor<f32>
  weir.fetch %r after(%a) : tensor<f32>
}

// -----

weir.queue @fifo capacity 10 of tensor<f32>
weir.queue @shuffled capacity 10 of tensor<f32> {kind = #weir.queue_kind<random_shuffle>}

// The order of elements is that of the nodes, unless the queue chooses it.
weir.graph @put(%x: tensor<f32>) {
  %q = weir.handle @fifo
  %s = weir.handle @shuffled
  // expected-note @+1 {{'first' is here}}
  %a = weir.enqueue %q, %x {weir.name = "first"} : (!weir.resource, tensor<f32>) -> !weir.control
  // expected-warning @+1 {{[WEIR0147] 'second' fills queue '@fifo' and 'first' fills it, in no order}}
  %b = weir.enqueue %q, %x {weir.name = "second"} : (!weir.resource, tensor<f32>) -> !weir.control
  %c = weir.enqueue %s, %x : (!weir.resource, tensor<f32>) -> !weir.control
  %d = weir.enqueue %s, %x : (!weir.resource, tensor<f32>) -> !weir.control
  weir.fetch after(%a, %b, %c, %d)
}

// -----

weir.variable @w : tensor<i32>

// What a loop does comes before what takes its result.
weir.graph @loop(%n: tensor<i32>) -> tensor<i32> {
  %zero = weir.constant dense<0> : tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %n0, %c1 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %i, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %less = weir.compare %i, %n0 {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %i, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %set = weir.assign @w, %t : tensor<i32>
  %inc = weir.add %t, %one after(%set) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %next, %c5 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %last, %c7 = weir.read @w after(%c6) : tensor<i32>
  weir.fetch %last : tensor<i32>
}
