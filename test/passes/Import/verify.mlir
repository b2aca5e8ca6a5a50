// weir-import-verify: the form that later phases start from.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics --weir-import-verify

// A well-formed graph passes; order in the text is none of its business.
weir.graph @"ok/v1.2"(%x: tensor<?xf32> {weir.name = "in/x:0"}) -> (tensor<?xf32> {weir.name = "out.y-1"}) {
  %z = weir.neg %y : (tensor<?xf32>) -> tensor<?xf32>
  %y = weir.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  weir.fetch %z : tensor<?xf32>
}

// -----

weir.graph @foreign(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{[WEIR0100] op 'arith.negf' is no node of weir; the body of graph '@foreign' is made of weir ops alone}}
  %y = arith.negf %x : tensor<f32>
  weir.fetch %y : tensor<f32>
}

// -----

// Names are written on command lines as name=value.
// expected-error@below {{[WEIR0101] the name of feed 'a=b' has to be made of letters, digits and _ . - / : without - in front}}
weir.graph @feed(%x: tensor<f32> {weir.name = "a=b"}) {
  weir.fetch
}

// -----

// expected-error@below {{[WEIR0101] the name of fetch '--steps' has to be made of}}
weir.graph @fetch(%x: tensor<f32>) -> (tensor<f32> {weir.name = "--steps"}) {
  weir.fetch %x : tensor<f32>
}

// -----

// expected-error@below {{[WEIR0101] the name of entry point 'two words' has to be made of}}
weir.graph @"two words"() {
  weir.fetch
}

// -----

weir.graph @claim(%x: tensor<?xf32>) {
  // expected-error@below {{[WEIR0102] node 'loss' is declared to give 'tensor<4xf32>', but its operands say only 'tensor<?xf32>'; weir.reshape checks extents at run time}}
  %y = weir.neg %x {weir.name = "loss"} : (tensor<?xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

// The node that checks extents when it runs may claim them.
weir.graph @checked(%x: tensor<?xf32>) -> tensor<4xf32> {
  %y = weir.reshape %x {shape = array<i64: 4>} : (tensor<?xf32>) -> tensor<4xf32>
  weir.fetch %y : tensor<4xf32>
}

// -----

// A cycle of data edges, shown as who waits for whom.
weir.graph @data(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{[WEIR0103] node 'a' waits for itself: its edges form a cycle of 3 nodes}}
  // expected-note@below {{'a' waits for 'c'}}
  %a = weir.add %x, %c {weir.name = "a"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-note@below {{'b' waits for 'a'}}
  %b = weir.neg %a {weir.name = "b"} : (tensor<f32>) -> tensor<f32>
  // expected-note@below {{'c' waits for 'b'}}
  %c = weir.exp %b {weir.name = "c"} : (tensor<f32>) -> tensor<f32>
  weir.fetch %c : tensor<f32>
}

// -----

weir.variable @w : tensor<f32>

// A cycle through a control edge and state, among nodes that nothing fetches.
weir.graph @control(%x: tensor<f32>) {
  // expected-error@below {{[WEIR0103] node 'read' waits for itself: its edges form a cycle of 2 nodes}}
  // expected-note@below {{'read' waits for 'write'}}
  %r, %rc = weir.read @w after(%wc) {weir.name = "read"} : tensor<f32>
  // expected-note@below {{'write' waits for 'read'}}
  %wc = weir.assign @w, %r {weir.name = "write"} : tensor<f32>
  weir.fetch
}

// -----

// The shortest one.
weir.graph @self() {
  // expected-error@below {{[WEIR0103] node 'weir.identity' waits for itself: its edges form a cycle of 1 node}}
  // expected-note@below {{'weir.identity' waits for 'weir.identity'}}
  %y = weir.identity %y : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

// A cycle through a weir.next_iteration is a loop.
weir.graph @loop(%n: tensor<i32>) -> tensor<i32> {
  %i0, %c0 = weir.enter %n {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %zero = weir.constant dense<0> : tensor<i32>
  %less = weir.compare %zero, %m {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %next, %c5 = weir.next_iteration %t : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// -----

// One through a merge alone is none.
weir.graph @no_loop(%n: tensor<i32>) -> tensor<i32> {
  // expected-error @+2 {{[WEIR0103] node 'weir.merge' waits for itself}}
  // expected-note @+1 {{'weir.merge' waits for 'weir.neg'}}
  %m, %ix, %c2 = weir.merge %n, %y : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  // expected-note @+1 {{'weir.neg' waits for 'weir.merge'}}
  %y = weir.neg %m : (tensor<i32>) -> tensor<i32>
  weir.fetch %m : tensor<i32>
}

// -----

// Values of two frames.
weir.graph @frames(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{'i' is here}}
  %i, %c = weir.enter %x {frame = "a", weir.name = "i"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-note @+1 {{'j' is here}}
  %j, %d = weir.enter %x {frame = "b", weir.name = "j"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-error @+1 {{[WEIR0111] node 'sum' takes 'i' of frame 'a' and takes 'j' of frame 'b'}}
  %sum = weir.add %i, %j {weir.name = "sum"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %out, %e = weir.exit %sum : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %out : tensor<f32>
}

// -----

// A control edge into a frame.
weir.variable @w : tensor<f32>
weir.graph @crossing(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{'weir.assign' is here}}
  %a = weir.assign @w, %x : tensor<f32>
  // expected-note @+1 {{'i' is here}}
  %i, %c = weir.enter %x {frame = "a", weir.name = "i"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-error @+1 {{[WEIR0111] node 'weir.neg' takes 'i' of frame 'a' and waits for 'weir.assign' of the graph}}
  %y = weir.neg %i after(%a) : (tensor<f32>) -> tensor<f32>
  %out, %e = weir.exit %y : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %out : tensor<f32>
}

// -----

// A value that is fetched inside of its frame.
weir.graph @fetched(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{'i' is here}}
  %i, %c = weir.enter %x {frame = "a", weir.name = "i"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-error @+1 {{[WEIR0111] the fetch is in the graph, but 'i' in frame 'a'; a value comes out of it through weir.exit}}
  weir.fetch %i : tensor<f32>
}

// -----

// An iteration of nothing.
weir.graph @outside(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{[WEIR0112] node 'weir.next_iteration' starts an iteration, but its operand feed 'arg0' is in the graph itself}}
  %n, %c = weir.next_iteration %x : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %n : tensor<f32>
}

// -----

// Two conditions of one loop.
weir.graph @conditions(%x: tensor<i1>) -> tensor<i1> {
  %i, %c = weir.enter %x {frame = "a"} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  // expected-note @+1 {{the other one is here}}
  %p, %d = weir.loop_cond %i {weir.name = "p"} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  // expected-error @+1 {{[WEIR0112] node 'q' and 'p' are both the condition of frame 'a'; a loop has one}}
  %q, %e = weir.loop_cond %i {weir.name = "q"} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %out, %f = weir.exit %q after(%d) : (tensor<i1>) -> (tensor<i1>, !weir.control)
  weir.fetch %out : tensor<i1>
}

// -----

// One name for a frame and for one inside of it.
weir.graph @nested(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{the frame is entered here}}
  %i, %c = weir.enter %x {frame = "a", weir.name = "i"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-error @+1 {{[WEIR0112] node 'j' enters frame 'a' from frame 'a', 'i' from the graph; give the frames two names}}
  %j, %d = weir.enter %i {frame = "a", weir.name = "j"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %y, %e = weir.exit %j : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// A merge of a loop that a constant would start in every iteration.
weir.graph @constant(%x: tensor<f32>) -> tensor<f32> {
  %k = weir.constant dense<1.0> : tensor<f32>
  %i, %c = weir.enter %x {frame = "a"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-error @+1 {{[WEIR0117] node 'weir.merge' of frame 'a' takes the constant 'weir.constant'}}
  %m, %n, %e = weir.merge %i, %k : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %y, %d = weir.exit %m : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// In the graph itself it fires when the step begins.
weir.graph @at_top(%x: tensor<f32>) -> tensor<f32> {
  %k = weir.constant dense<1.0> : tensor<f32>
  %m, %n, %e = weir.merge %x, %k : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %m : tensor<f32>
}

// -----

// Enters that disagree: the smallest number counts.
weir.graph @disagree(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{the frame is entered here}}
  %i, %c = weir.enter %x {frame = "a", weir.name = "i"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-remark @+1 {{[WEIR0116] node 'j' lets 1 iterations of frame 'a' run at a time, 'i' 10; it will be 1}}
  %j, %d = weir.enter %x {frame = "a", parallel_iterations = 1 : i64, weir.name = "j"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %s = weir.add %i, %j : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y, %e = weir.exit %s : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// A value that is handed on has no more of a type than it came with.
weir.graph @claims(%x: tensor<*xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  // expected-error @+1 {{[WEIR0102] node 'weir.switch' is declared to give 'tensor<2xf32>', but its operands say only 'tensor<*xf32>'; weir.ensure_shape checks them at run time}}
  %f, %t, %c = weir.switch %x, %p : (tensor<*xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>, !weir.control)
  weir.fetch %f : tensor<2xf32>
}

// -----

// A constant has to fit into an object file, and into memory while compiling.
weir.graph @huge() -> tensor<f32> {
  // expected-error@below {{[WEIR0123] node 'c' is a constant of type 'tensor<99999999999x3xf32>', which takes more than the 2 GiB that a program can hold of one; make it with weir.broadcast_to, feed it, or keep it in a variable}}
  %c = weir.constant {weir.name = "c"} dense<1.0> : tensor<99999999999x3xf32>
  %s = weir.reduce_sum %c {axes = array<i64: 0, 1>} : (tensor<99999999999x3xf32>) -> tensor<f32>
  weir.fetch %s : tensor<f32>
}
