// weir-place-assign-devices: what cannot be placed, and who asked for it.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics --weir-place-assign-devices

// A kind of device that this build cannot run.
weir.graph @gpu(%x: tensor<f32>) {
  // expected-error@below {{[WEIR0104] node 'big' asks for device '/device:GPU:0', which is not there; there is '/job:localhost/replica:0/task:0/device:CPU:0'}}
  %y = weir.neg %x {weir.name = "big", weir.device = "/gpu:0"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

// Another process.
// expected-error@below {{[WEIR0104] variable '@w' asks for device '/job:worker/task:17', which is not there}}
weir.variable @w : tensor<f32> {weir.device = "/job:worker/task:17"}

// -----

// expected-error@below {{[WEIR0104] feed 'x' asks for device '/device:CPU:1', which is not there}}
weir.graph @feed(%x: tensor<f32> {weir.name = "x", weir.device = "/device:CPU:1"}) {
  weir.fetch
}

// -----

weir.graph @malformed(%x: tensor<f32>) {
  // expected-error@below {{[WEIR0106] node 'weir.neg' asks for device '/device=CPU', which is no device name: there is no part 'device=CPU'; the parts are job, replica, task and device; a name looks like /job:worker/replica:0/task:1/device:CPU:0 and may leave parts out}}
  %y = weir.neg %x {weir.device = "/device=CPU"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

// The devices there are, in a module that says so itself.
// expected-error@below {{[WEIR0106] 7 : i64 in the module's `rt.devices` is no name of a device, which is a string}}
module attributes {rt.devices = [7]} {
  weir.graph @f() {
    weir.fetch
  }
}
