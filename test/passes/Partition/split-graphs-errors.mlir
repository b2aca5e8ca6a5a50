// What weir-partition-split-graphs refuses.
//
// RUN: weir-opt %s --weir-partition-split-graphs --split-input-file --verify-diagnostics

weir.graph @unplaced(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{[WEIR0108] node 'weir.neg' has no device; run the phase 'place' before 'partition'}}
  %y = weir.neg %x : (tensor<f32>) -> tensor<f32>
  weir.fetch %y : tensor<f32>
}

// -----

// A loop of two devices.
weir.graph @loop(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %e, %ce = weir.enter %x {frame = "f", weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %q, %cq = weir.enter %p {frame = "f", is_constant, weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %m, %i, %cm = weir.merge %e, %n {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %l, %cl = weir.loop_cond %q {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %cs = weir.switch %m, %l {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0", weir.name = "body"} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  // expected-error @below {{[WEIR0119] frame 'f' spans devices: node 'far' is on '/job:localhost/replica:0/task:0/device:CPU:1' and takes node 'body', which is on '/job:localhost/replica:0/task:0/device:CPU:0'; give all nodes of a loop one device}}
  %y = weir.neg %t {weir.device = "/job:localhost/replica:0/task:0/device:CPU:1", weir.name = "far"} : (tensor<f32>) -> tensor<f32>
  %n, %cn = weir.next_iteration %y {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  %o, %co = weir.exit %f {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch %o : tensor<f32>
}

// -----

// A handle that leaves its device.
weir.variable @w : tensor<f32> {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}
weir.graph @handle(%p: tensor<i1>) -> tensor<f32> {
  %h = weir.handle @w {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}
  %f, %t, %c = weir.switch %h, %p {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"} : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
  // expected-error @below {{[WEIR0120] node 'far' is on '/job:localhost/replica:0/task:0/device:CPU:1' and takes a handle from '/job:localhost/replica:0/task:0/device:CPU:0', where it means nothing; give the nodes of a handle one device}}
  %v, %d = weir.read_resource %t {weir.device = "/job:localhost/replica:0/task:0/device:CPU:1", weir.name = "far"} : (!weir.resource) -> (tensor<f32>, !weir.control)
  weir.fetch %v : tensor<f32>
}
