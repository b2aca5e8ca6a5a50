// weir-place-assign-devices: every node, variable and queue gets a device.
//
// The one that asks for a device asks for another in the second run.
// RUN: sed "s|DEVICE|/device:cpu|" %s | weir-opt --weir-place-assign-devices | FileCheck %s --check-prefix=ONE
// RUN: sed "s|DEVICE|/job:w/device:CPU:1|" %s | weir-opt --weir-place-assign-devices="devices=/job:w/replica:0/task:0/device:CPU:0,/job:w/replica:0/task:0/device:CPU:1" | FileCheck %s --check-prefix=TWO

// ONE: weir.variable @w : tensor<f32> {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}
// A variable goes where a node that uses it asks to be.
// TWO: weir.variable @w : tensor<f32> {weir.device = "/job:w/replica:0/task:0/device:CPU:1"}
weir.variable @w : tensor<f32>
// ONE: weir.queue @q capacity 1 of tensor<f32> {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}
// TWO: weir.queue @q capacity 1 of tensor<f32> {weir.device = "/job:w/replica:0/task:0/device:CPU:0"}
weir.queue @q capacity 1 of tensor<f32>

// Names of feeds and fetches are completed; those without stay without.
// ONE-LABEL: weir.graph @train
// ONE-SAME: (%{{.+}}: tensor<f32> {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}, %{{.+}}: tensor<f32>)
// TWO-LABEL: weir.graph @train
weir.graph @train(%x: tensor<f32> {weir.device = "/cpu:0"}, %y: tensor<f32>) {
  // Without a constraint: the first device.
  // ONE: weir.neg %{{.+}} {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}
  // TWO: weir.neg %{{.+}} {weir.device = "/job:w/replica:0/task:0/device:CPU:0"}
  %a = weir.neg %x : (tensor<f32>) -> tensor<f32>
  // A colocation group meets the constraints of all its members.
  // ONE: weir.exp %{{.+}} {weir.colocate = "g", weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}
  // TWO: weir.exp %{{.+}} {weir.colocate = "g", weir.device = "/job:w/replica:0/task:0/device:CPU:1"}
  %b = weir.exp %a {weir.colocate = "g"} : (tensor<f32>) -> tensor<f32>
  // TWO: weir.read @w {weir.colocate = "g", weir.device = "/job:w/replica:0/task:0/device:CPU:1"}
  %r, %c = weir.read @w {weir.colocate = "g"} : tensor<f32>
  // TWO: weir.assign @w, %{{.+}} after(%{{.+}}) {weir.device = "/job:w/replica:0/task:0/device:CPU:1"}
  %d = weir.assign @w, %b after(%c) : tensor<f32>
  weir.fetch after(%d)
}

// The group is one for all graphs of the module.
// TWO-LABEL: weir.graph @other
weir.graph @other(%x: tensor<f32>) -> tensor<f32> {
  // ONE: weir.log %{{.+}} {weir.colocate = "g", weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"}
  // TWO: weir.log %{{.+}} {weir.colocate = "g", weir.device = "/job:w/replica:0/task:0/device:CPU:1"}
  %y = weir.log %x {weir.colocate = "g", weir.device = "DEVICE"} : (tensor<f32>) -> tensor<f32>
  weir.fetch %y : tensor<f32>
}

// A node goes where the one is whose name it gives as its group.
// ONE-LABEL: weir.graph @namesake
// TWO-LABEL: weir.graph @namesake
weir.graph @namesake(%x: tensor<f32>) -> tensor<f32> {
  // TWO: weir.sqrt %{{.+}} {weir.colocate = "there", weir.device = "/job:w/replica:0/task:0/device:CPU:1"}
  %y = weir.sqrt %z {weir.colocate = "there"} : (tensor<f32>) -> tensor<f32>
  %z = weir.abs %x : (tensor<f32>) -> tensor<f32>
  // ONE: weir.sin %{{.+}} {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0", weir.name = "there"}
  %there = weir.sin %x {weir.name = "there", weir.device = "DEVICE"} : (tensor<f32>) -> tensor<f32>
  weir.fetch %y : tensor<f32>
}
