// weir-place-assign-devices: members of a set that ask for different devices.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics --weir-place-assign-devices="devices=/job:w/replica:0/task:0/device:CPU:0,/job:w/replica:0/task:0/device:CPU:1,/job:v/replica:0/task:1/device:CPU:0"

weir.graph @group(%x: tensor<f32>) {
  // expected-note@below {{node 'a' is here}}
  %a = weir.neg %x {weir.name = "a", weir.colocate = "g", weir.device = "/device:CPU:0"} : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{[WEIR0105] node 'b' asks for device '/device:CPU:1', but has to be with node 'a', which asks for '/device:CPU:0'; give both one device, or part them}}
  // expected-note@below {{node 'b' belongs to the others by weir.colocate = "g"}}
  %b = weir.exp %x {weir.name = "b", weir.colocate = "g", weir.device = "/device:CPU:1"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

// expected-note@below {{variable '@w' is here}}
weir.variable @w : tensor<f32> {weir.device = "/cpu:0"}
weir.graph @variable(%x: tensor<f32>) {
  // expected-error@below {{[WEIR0105] node 'reader' asks for device '/device:CPU:1', but has to be with variable '@w', which asks for '/device:CPU:0'}}
  // expected-note@below {{node 'reader' belongs to the others as a user of '@w'}}
  %r, %c = weir.read @w {weir.name = "reader", weir.device = "/cpu:1"} : tensor<f32>
  weir.fetch
}

// -----

// A group may be named after a node, as TensorFlow does it: that one belongs to it.
weir.graph @namesake(%x: tensor<f32>) {
  // expected-note@below {{node 'a' is here}}
  %a = weir.neg %x {weir.name = "a", weir.device = "/device:CPU:0"} : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{[WEIR0105] node 'b' asks for device '/device:CPU:1', but has to be with node 'a', which asks for '/device:CPU:0'; give both one device, or part them}}
  // expected-note@below {{node 'b' belongs to the others by weir.colocate = "a"}}
  %b = weir.exp %x {weir.name = "b", weir.colocate = "a", weir.device = "/device:CPU:1"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// A node of that name in another graph is none of it.
weir.graph @elsewhere(%x: tensor<f32>) {
  %a = weir.neg %x {weir.name = "a", weir.device = "/device:CPU:1"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

// Each alone could be met, but not both.
weir.graph @together(%x: tensor<f32>) {
  %a = weir.neg %x {weir.name = "a", weir.colocate = "g", weir.device = "/task:1"} : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{[WEIR0104] node 'b', with what it has to be with, asks for device '/task:1/device:CPU:1', which is not there}}
  %b = weir.exp %x {weir.name = "b", weir.colocate = "g", weir.device = "/cpu:1"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

// The nodes of a loop are together, whatever they ask for.
weir.graph @loop(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  // expected-note@below {{node 'weir.enter' is here}}
  %e, %ce = weir.enter %x {frame = "f", weir.device = "/device:CPU:0"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %q, %cq = weir.enter %p {frame = "f", is_constant} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %m, %i, %cm = weir.merge %e, %n : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %l, %cl = weir.loop_cond %q : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %cs = weir.switch %m, %l : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  // expected-error@below {{[WEIR0105] node 'far' asks for device '/device:CPU:1', but has to be with node 'weir.enter', which asks for '/device:CPU:0'}}
  // expected-note@below {{node 'far' belongs to the others as a part of loop 'f'}}
  %y = weir.neg %t {weir.device = "/device:CPU:1", weir.name = "far"} : (tensor<f32>) -> tensor<f32>
  %n, %cn = weir.next_iteration %y : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %o, %co = weir.exit %f : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %o : tensor<f32>
}
