// weir-partition-verify-single-device: a program that needs cutting is rejected.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics --weir-partition-verify-single-device

// All on one device: nothing to cut.
weir.variable @w : tensor<f32> {weir.device = "/job:w/replica:0/task:0/device:CPU:0"}
weir.graph @one(%x: tensor<f32>) -> tensor<f32> {
  %y = weir.neg %x {weir.device = "/job:w/replica:0/task:0/device:CPU:0"} : (tensor<f32>) -> tensor<f32>
  weir.fetch %y : tensor<f32>
}

// -----

// expected-note@below {{'@w' is here}}
weir.variable @w : tensor<f32> {weir.device = "/job:w/replica:0/task:0/device:CPU:0"}
weir.graph @two(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{[WEIR0107] 'far' is on device '/job:w/replica:0/task:1/device:CPU:0' and '@w' on '/job:w/replica:0/task:0/device:CPU:0': a program of more than one device is not supported yet}}
  %y = weir.neg %x {weir.name = "far", weir.device = "/job:w/replica:0/task:1/device:CPU:0"} : (tensor<f32>) -> tensor<f32>
  weir.fetch %y : tensor<f32>
}

// -----

weir.graph @unplaced(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@below {{[WEIR0108] 2 nodes have no device: 'first', 'weir.exp'; run the phase place first}}
  %y = weir.neg %x {weir.name = "first"} : (tensor<f32>) -> tensor<f32>
  %z = weir.exp %y : (tensor<f32>) -> tensor<f32>
  weir.fetch %z : tensor<f32>
}
