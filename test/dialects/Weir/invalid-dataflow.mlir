// Every error of the verifiers for the nodes of dataflow. The constraint violated stands
// above each; what ODS checks has none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

weir.graph @f(%x: tensor<f32>, %p: tensor<2xi1>) {
  // switch_c1
  // expected-error@below {{[WEIR0061] the predicate is a scalar, got 'tensor<2xi1>'}}
  %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<2xi1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>, %p: tensor<i1>) {
  // switch_c2
  // expected-error@below {{[WEIR0062] is given 'tensor<f32>', which is no value of the result's type 'tensor<2xf32>'}}
  %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<2xf32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>, %i: tensor<1xi32>) {
  // switch_n_c1
  // expected-error@below {{[WEIR0061] the index is a scalar, got 'tensor<1xi32>'}}
  %a, %c = weir.switch_n %x, %i : (tensor<f32>, tensor<1xi32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>, %i: tensor<i32>) {
  // switch_n_c2
  // expected-error@below {{[WEIR0063] has no side to switch to}}
  %c = weir.switch_n %x, %i : (tensor<f32>, tensor<i32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f() {
  // merge_c1
  // expected-error@below {{[WEIR0063] has no operand to take}}
  %y, %i, %c = weir.merge : () -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<f32>, %b: tensor<i32>) {
  // merge_c2
  // expected-error@below {{[WEIR0062] is given 'tensor<i32>', which is no value of the result's type 'tensor<f32>'}}
  %y, %i, %c = weir.merge %a, %b : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<f32>) {
  // merge_c3
  // expected-error@below {{[WEIR0061] the number of the operand is a scalar, got 'tensor<1xi32>'}}
  %y, %i, %c = weir.merge %a : (tensor<f32>) -> (tensor<f32>, tensor<1xi32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<f32>) {
  // enter_c1
  // expected-error@below {{[WEIR0064] the frame has no name}}
  %y, %c = weir.enter %a {frame = ""} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<f32>) {
  // enter_c2
  // expected-error@below {{[WEIR0064] parallel_iterations is in 1 <= n < 2^31, got 0}}
  %y, %c = weir.enter %a {frame = "f", parallel_iterations = 0 : i64} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<f32>) {
  // enter_c3
  // expected-error@below {{[WEIR0062] is given 'tensor<f32>', which is no value of the result's type 'tensor<f64>'}}
  %y, %c = weir.enter %a {frame = "f"} : (tensor<f32>) -> (tensor<f64>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<f32>) {
  // exit_c1
  // expected-error@below {{[WEIR0062] is given 'tensor<f32>', which is no value of the result's type 'tensor<f64>'}}
  %y, %c = weir.exit %a : (tensor<f32>) -> (tensor<f64>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<2xf32>) {
  // next_iteration_c1
  // expected-error@below {{[WEIR0062] is given 'tensor<2xf32>', which is no value of the result's type 'tensor<3xf32>'}}
  %y, %c = weir.next_iteration %a : (tensor<2xf32>) -> (tensor<3xf32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<2xi1>) {
  // loop_cond_c1
  // expected-error@below {{[WEIR0061] the condition is a scalar, got 'tensor<2xi1>'}}
  %y, %c = weir.loop_cond %a : (tensor<2xi1>) -> (tensor<2xi1>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f() {
  // handle_c1
  // expected-error@below {{[WEIR0066] names 'f', which is no variable, queue, barrier, accumulator or reader}}
  %h = weir.handle @f
  weir.fetch
}

// -----

weir.graph @f(%n: tensor<i32>) {
  // stack_c1
  // expected-error@below {{[WEIR0067] the elements are of an element type, got 'index'}}
  %h, %c = weir.stack %n {element = index} : (tensor<i32>) -> (!weir.resource, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<3xf32>) {
  // ensure_shape_c1
  // expected-error@below {{[WEIR0062] is given 'tensor<3xf32>', which is no value of the result's type 'tensor<2xf32>'}}
  %y, %c = weir.ensure_shape %x : (tensor<3xf32>) -> (tensor<2xf32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%b: tensor<!weir.string>) {
  // decode_image_c1
  // expected-error@below {{[WEIR0069] the format is "png" or "jpeg", got "gif"}}
  %i, %c = weir.decode_image %b {format = "gif"} : (tensor<!weir.string>) -> (tensor<?x?x?xui8>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%b: tensor<!weir.string>) {
  // decode_image_c1
  // expected-error@below {{[WEIR0069] an image has 0 <= channels <= 4, got 5}}
  %i, %c = weir.decode_image %b {format = "png", channels = 5 : i64} : (tensor<!weir.string>) -> (tensor<?x?x5xui8>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%s: tensor<?x!weir.string>, %d: tensor<0xf32>) {
  // parse_example_c1
  // expected-error@below {{[WEIR0069] has 2 names, 1 types, 1 defaults and 1 results}}
  %x, %c = weir.parse_example %s, %d {names = ["x", "y"], features = [tensor<2xf32>]} : (tensor<?x!weir.string>, tensor<0xf32>) -> (tensor<?x2xf32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%s: tensor<?x!weir.string>, %d: tensor<0xf32>) {
  // parse_example_c1
  // expected-error@below {{[WEIR0069] a feature is a tensor of static extents, got tensor<?xf32>}}
  %x, %c = weir.parse_example %s, %d {names = ["x"], features = [tensor<?xf32>]} : (tensor<?x!weir.string>, tensor<0xf32>) -> (tensor<?x?xf32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x2xf32>, %i: tensor<3xi32>, %v: tensor<3x3xf32>) {
  // scatter_c1
  // expected-error@below {{[WEIR0053] updates of type 'tensor<3x3xf32>' do not have the shape of the indices 'tensor<3xi32>' followed by that of a slice of 'tensor<4x2xf32>'}}
  %y = weir.scatter %x, %i, %v {kind = #weir.scatter_kind<add>} : (tensor<4x2xf32>, tensor<3xi32>, tensor<3x3xf32>) -> tensor<4x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xi1>, %i: tensor<3xi32>, %v: tensor<3xi1>) {
  // scatter_c2
  // expected-error@below {{[WEIR0053] cannot add 'tensor<3xi1>' to slices of 'tensor<4xi1>'}}
  %y = weir.scatter %x, %i, %v {kind = #weir.scatter_kind<add>} : (tensor<4xi1>, tensor<3xi32>, tensor<3xi1>) -> tensor<4xi1>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>, %i: tensor<3xi32>, %v: tensor<3xf32>) {
  // scatter_c2
  // expected-error@below {{[WEIR0053] cannot assign 'tensor<3xf32>' to slices of 'tensor<f32>'}}
  %y = weir.scatter %x, %i, %v {kind = #weir.scatter_kind<assign>} : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%i: tensor<3xi32>, %v: tensor<3xf32>) {
  // assign_scatter_c1
  // expected-error@below {{[WEIR0012] names 'w', which is no weir.variable}}
  %c = weir.assign_scatter @w, %i, %v {kind = #weir.scatter_kind<add>} : tensor<3xi32>, tensor<3xf32>
  weir.fetch
}

// -----

weir.variable @w : tensor<4xf32>
weir.graph @f(%i: tensor<3xi32>, %v: tensor<3xf64>) {
  // assign_scatter_c2
  // expected-error@below {{[WEIR0053] cannot add 'tensor<3xf64>' to slices of 'tensor<4xf32>'}}
  %c = weir.assign_scatter @w, %i, %v {kind = #weir.scatter_kind<add>} : tensor<3xi32>, tensor<3xf64>
  weir.fetch
}

// -----

weir.variable @w : tensor<4xf32>
weir.graph @f(%i: tensor<3xi32>, %v: tensor<3xf64>) {
  %h = weir.handle @w
  // assign_scatter_resource_c1
  // expected-error@below {{[WEIR0053] cannot add 'tensor<3xf64>' to slices of 'tensor<4xf32>'}}
  %c = weir.assign_scatter_resource %h, %i, %v {kind = #weir.scatter_kind<add>, type = tensor<4xf32>} : (!weir.resource, tensor<3xi32>, tensor<3xf64>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f() {
  // The handle is missing.
  // expected-error@below {{'weir.enqueue' op takes an operand}}
  %c = weir.enqueue : () -> !weir.control
  weir.fetch
}

// -----

// queue_c2
// expected-error@below {{[WEIR0001] expected a ranked tensor of a numeric, boolean or string element type, got 'tensor<*xindex>'}}
weir.queue @q capacity 1 of tensor<*xindex>

// -----

// queue_c3
// expected-error@below {{[WEIR0065] min_after_dequeue is for random_shuffle only, the kind is fifo}}
weir.queue @q capacity 9 of tensor<f32> {min_after_dequeue = 2 : i64}

// -----

// queue_c3
// expected-error@below {{[WEIR0065] min_after_dequeue is in 0 <= n < capacity, got 9 of 9}}
weir.queue @q capacity 9 of tensor<f32> {kind = #weir.queue_kind<random_shuffle>, min_after_dequeue = 9 : i64}

// -----

// queue_c4
// expected-error@below {{[WEIR0065] the first component of a priority queue is tensor<i64>, got 'tensor<i32>'}}
weir.queue @q capacity 9 of tensor<i32> {kind = #weir.queue_kind<priority>}

// -----

// barrier_c1
// expected-error@below {{[WEIR0008] a barrier has at least one component}}
weir.barrier @b of []

// -----

// reader_c1
// expected-error@below {{[WEIR0068] a text_line reader has 1 numbers, got 0}}
weir.reader @r {kind = #weir.reader_kind<text_line>}

// -----

// reader_c1
// expected-error@below {{[WEIR0068] a reader's numbers are not negative, got -1}}
weir.reader @r {kind = #weir.reader_kind<text_line>, numbers = array<i64: -1>}
