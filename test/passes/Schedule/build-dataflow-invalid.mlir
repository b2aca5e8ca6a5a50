// What compiled code cannot be given is an error at the node that computes.
//
// RUN: weir-opt %s --weir-schedule-build-dataflow --verify-diagnostics --split-input-file

weir.graph @unknown_rank(%x: tensor<*xf32>, %n: tensor<i32>) {
  %h, %f, %c = weir.tensor_array %n {element = tensor<*xf32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
  // expected-error @+1 {{[WEIR0113] node 'sum' computes with 'tensor<*xf32>' of a feed: only numbers of known rank can be computed with; give the value a shape with weir.ensure_shape}}
  %done = weir.assign_add_resource %h, %x {weir.name = "sum"} : (!weir.resource, tensor<*xf32>) -> !weir.control
  weir.fetch after(%done)
}

// -----

weir.queue @q capacity 10 of tensor<2x!weir.string>
weir.graph @strings() -> tensor<2x!weir.string> {
  %h = weir.handle @q
  %x, %c = weir.dequeue %h : (!weir.resource) -> (tensor<2x!weir.string>, !weir.control)
  // expected-error @+1 {{[WEIR0114] node 'weir.stop_gradient' computes with strings of 'weir.dequeue', which compiled code cannot}}
  %y = weir.stop_gradient %x : (tensor<2x!weir.string>) -> tensor<2x!weir.string>
  weir.fetch %y : tensor<2x!weir.string>
}

// -----

// Frames are checked again: passes in between may have been left out.
weir.graph @frames(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{'weir.enter' is here}}
  %i, %c = weir.enter %x {frame = "loop"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  // expected-error @+1 {{[WEIR0111] node 'weir.add' takes 'weir.enter' of frame 'loop' and takes feed 'arg0' of the graph}}
  %sum = weir.add %i, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %out, %d = weir.exit %sum : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %out : tensor<f32>
}
