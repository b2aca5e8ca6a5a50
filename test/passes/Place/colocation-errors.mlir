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

// Each alone could be met, but not both.
weir.graph @together(%x: tensor<f32>) {
  %a = weir.neg %x {weir.name = "a", weir.colocate = "g", weir.device = "/task:1"} : (tensor<f32>) -> tensor<f32>
  // expected-error@below {{[WEIR0104] node 'b', with what it has to be with, asks for device '/task:1/device:CPU:1', which is not there}}
  %b = weir.exp %x {weir.name = "b", weir.colocate = "g", weir.device = "/cpu:1"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}
