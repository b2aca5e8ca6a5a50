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
