// Every error of the verifiers and of type inference for state. The constraint violated
// stands above each (`matmul_c2`); what ODS checks has none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

weir.variable @weights : tensor<2xf32>
weir.graph @f() {
  // read_c1
  // expected-note@below {{did you mean '@weights'?}}
  // expected-error@below {{[WEIR0012] names 'wieghts', which is no weir.variable}}
  %w, %c = weir.read @wieghts : tensor<2xf32>
  weir.fetch
}

// -----

// expected-note@below {{variable declared here}}
weir.variable @w : tensor<2xf32>
weir.graph @f() {
  // read_c2
  // expected-error@below {{[WEIR0013] type 'tensor<3xf32>' does not match variable '@w' of type 'tensor<2xf32>'}}
  %w, %c = weir.read @w : tensor<3xf32>
  weir.fetch
}

// -----

weir.queue @q capacity 1 of tensor<f32>
weir.graph @f(%x: tensor<f32>) {
  // assign_c1
  // expected-error@below {{[WEIR0012] names 'q', which is no weir.variable}}
  %c = weir.assign @q, %x : tensor<f32>
  weir.fetch
}

// -----

// expected-note@below {{variable declared here}}
weir.variable @w : tensor<2xf32>
weir.graph @f(%x: tensor<2xf64>) {
  // assign_c2
  // expected-error@below {{'weir.assign' op [WEIR0013] type 'tensor<2xf64>' does not match variable '@w' of type 'tensor<2xf32>'}}
  %c = weir.assign @w, %x : tensor<2xf64>
  weir.fetch
}

// -----

// expected-note@below {{variable declared here}}
weir.variable @w : tensor<2xf32>
weir.graph @f(%x: tensor<2xf64>) {
  // assign_add_c2
  // expected-error@below {{'weir.assign_add' op [WEIR0013] type 'tensor<2xf64>' does not match variable '@w' of type 'tensor<2xf32>'}}
  %c = weir.assign_add @w, %x : tensor<2xf64>
  weir.fetch
}

// -----

// expected-note@below {{variable declared here}}
weir.variable @w : tensor<2xf32>
weir.graph @f(%x: tensor<2xf64>) {
  // assign_sub_c2
  // expected-error@below {{'weir.assign_sub' op [WEIR0013] type 'tensor<2xf64>' does not match variable '@w' of type 'tensor<2xf32>'}}
  %c = weir.assign_sub @w, %x : tensor<2xf64>
  weir.fetch
}

// -----

weir.graph @f() {
  // is_initialized_c1
  // expected-error@below {{[WEIR0012] names 'w', which is no weir.variable}}
  %b, %c = weir.is_initialized @w : tensor<i1>
  weir.fetch
}

// -----

weir.variable @weights : tensor<2xf32>
weir.graph @f() {
  // is_initialized_c2
  // expected-error@below {{[WEIR0013] the result is a scalar, got 'tensor<2xi1>'}}
  %b, %c = weir.is_initialized @weights : tensor<2xi1>
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // save_c1
  // expected-error@below {{[WEIR0014] has 0 names for 1 values}}
  %c = weir.save %p, %x names [] : tensor<!weir.string>, tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // save_c2
  // expected-error@below {{[WEIR0014] the name 'a' is given twice}}
  %c = weir.save %p, %x, %x names ["a", "a"] : tensor<!weir.string>, tensor<f32>, tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // save_c2
  // expected-error@below {{[WEIR0014] a tensor's name in a checkpoint is not empty}}
  %c = weir.save %p, %x names [""] : tensor<!weir.string>, tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // restore_c1
  // expected-error@below {{[WEIR0014] has 2 names for 1 values}}
  %v, %c = weir.restore %p names ["a", "b"] : tensor<!weir.string> -> tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // restore_c1
  // expected-error@below {{[WEIR0014] restores nothing; name one value at least}}
  %c = "weir.restore"(%p) <{names = []}> : (tensor<!weir.string>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // restore_c2
  // expected-error@below {{[WEIR0014] the name 'a' is given twice}}
  %v:2, %c = weir.restore %p names ["a", "a"] : tensor<!weir.string> -> tensor<f32>, tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>) {
  // restore_c3
  // expected-error@below {{[WEIR0014] restored values have static extents, got 'tensor<?xf32>'}}
  %v, %c = weir.restore %p names ["a"] : tensor<!weir.string> -> tensor<?xf32>
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<2x!weir.string>) {
  // expected-error@below {{'weir.restore' op operand #0 must be string scalar tensor, but got 'tensor<2x!weir.string>'}}
  %v, %c = weir.restore %p names ["a"] : tensor<2x!weir.string> -> tensor<f32>
  weir.fetch
}
