// weir-partition-split-graphs: one graph for each device, a send and a receive
// at each cut.
//
// RUN: weir-opt %s --weir-place-assign-devices --weir-partition-split-graphs --split-input-file | FileCheck %s

// What two nodes of the other device use crosses once, and comes back once.
// CHECK-LABEL: weir.graph @there_and_back.0
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<4xf32> {weir.device = "{{.+}}", weir.name = "x"}) -> (tensor<4xf32> {weir.name = "y"})
// CHECK-SAME: rt.device = "/job:localhost/replica:0/task:0/device:CPU:0"
// CHECK: %[[BACK:[a-z_0-9]+]], %{{.+}} = weir.receive {destination = "{{.+}}CPU:0", source = "{{.+}}CPU:1", tensor = "sum:0"
// CHECK: %[[Y:[0-9]+]] = weir.neg %[[BACK]] {rt.hop = 2 : i64
// CHECK: %[[SENT:[0-9]+]] = weir.send %[[X]] {destination = "{{.+}}CPU:1", source = "{{.+}}CPU:0", tensor = "x"
// CHECK-NOT: weir.send
// CHECK: weir.fetch %[[Y]] after(%[[SENT]])
// CHECK-LABEL: weir.graph @there_and_back.1
// CHECK-SAME: rt.device = "/job:localhost/replica:0/task:0/device:CPU:1"
// CHECK: %[[IN:[a-z_0-9]+]], %{{.+}} = weir.receive {{.+}}tensor = "x"
// CHECK: %[[E:[0-9]+]] = weir.exp %[[IN]] {rt.hop = 1 : i64
// CHECK: weir.add %[[IN]], %[[E]]
// CHECK: weir.send %{{.+}} {{.+}}tensor = "sum:0"
// CHECK: rt.spread @there_and_back feeds [{name = "x", type = tensor<4xf32>}] fetches [{name = "y", type = tensor<4xf32>}] parts
// CHECK-SAME: {feeds = array<i32: 0>, fetches = array<i32: 0>, graph = @there_and_back.0}
// CHECK-SAME: {feeds = array<i32>, fetches = array<i32>, graph = @there_and_back.1}
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"]} {
  weir.graph @there_and_back(%x: tensor<4xf32> {weir.name = "x", weir.device = "/cpu:0"}) -> (tensor<4xf32> {weir.name = "y"}) {
    %e = weir.exp %x {weir.device = "/cpu:1"} : (tensor<4xf32>) -> tensor<4xf32>
    %s = weir.add %x, %e {weir.device = "/cpu:1", weir.name = "sum"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %y = weir.neg %s {weir.device = "/cpu:0"} : (tensor<4xf32>) -> tensor<4xf32>
    weir.fetch %y : tensor<4xf32>
  }
}

// -----

// A control edge crosses as a send without a value.
// CHECK-LABEL: weir.graph @control.0
// CHECK: %[[DONE:[0-9]+]] = weir.assign @w
// CHECK: weir.send after(%[[DONE]]) {{.+}}tensor = "^first"
// CHECK-LABEL: weir.graph @control.1
// CHECK: %[[CAME:[a-z_0-9]+]] = weir.receive {{.+}}tensor = "^first"
// CHECK: weir.assign @v, %{{.+}} after(%[[CAME]])
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"]} {
  weir.variable @w : tensor<f32> {weir.device = "/cpu:0"}
  weir.variable @v : tensor<f32> {weir.device = "/cpu:1"}
  weir.graph @control() {
    %one = weir.constant dense<1.0> : tensor<f32>
    %c = weir.assign @w, %one {weir.name = "first"} : tensor<f32>
    %d = weir.assign @v, %one after(%c) : tensor<f32>
    weir.fetch after(%d)
  }
}

// -----

// What no fetch needs is not sent; a graph that is all at home stays.
// CHECK-LABEL: weir.graph @home(
// CHECK-NOT: rt.spread
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"]} {
  weir.graph @home(%x: tensor<f32>) -> tensor<f32> {
    %unused = weir.exp %x {weir.device = "/cpu:1"} : (tensor<f32>) -> tensor<f32>
    %y = weir.neg %x {weir.device = "/cpu:0"} : (tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}

// -----

// A feed of a GPU comes in on the CPU, and so a fetch goes out.
// CHECK-LABEL: weir.graph @gpu.0(%{{.+}}: tensor<f32> {weir.name = "arg0"}) -> (tensor<f32> {weir.name = "result0"})
// CHECK-SAME: device:CPU:0
// CHECK-LABEL: weir.graph @gpu.1()
// CHECK-SAME: device:GPU:0
// CHECK: weir.neg
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:GPU:0"]} {
  weir.graph @gpu(%x: tensor<f32>) -> tensor<f32> {
    %y = weir.neg %x {weir.device = "/gpu:0"} : (tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}

// -----

// A conditional may span devices: both its sides cross, one of them dead.
// CHECK-LABEL: weir.graph @conditional.0
// CHECK-DAG: weir.send %{{.+}} {{.+}}tensor = "s:0"
// CHECK-DAG: weir.send %{{.+}} {{.+}}tensor = "s:1"
// CHECK-LABEL: weir.graph @conditional.1
// CHECK-DAG: weir.receive {{.+}}tensor = "s:0"
// CHECK-DAG: weir.receive {{.+}}tensor = "s:1"
// CHECK: weir.merge
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"]} {
  weir.graph @conditional(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
    %f, %t, %c = weir.switch %x, %p {weir.device = "/cpu:0", weir.name = "s"} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n = weir.neg %f {weir.device = "/cpu:1"} : (tensor<f32>) -> tensor<f32>
    %y, %i, %d = weir.merge %n, %t {weir.device = "/cpu:1"} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}
