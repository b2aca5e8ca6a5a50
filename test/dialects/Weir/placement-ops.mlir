// Round trip of the nodes where programs of devices meet.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

// With a value, and without one: a control edge.
// CHECK-LABEL: weir.graph @ps(
weir.graph @ps(%w: tensor<2xf32>) {
  // CHECK: weir.send %{{.+}} {destination = "/job:worker/replica:0/task:0/device:CPU:0", source = "/job:ps/replica:0/task:0/device:CPU:0", tensor = "w:0"} : (tensor<2xf32>) -> !weir.control
  %c = weir.send %w {tensor = "w:0", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:worker/replica:0/task:0/device:CPU:0"} : (tensor<2xf32>) -> !weir.control
  // CHECK: weir.send after(%{{.+}}) {destination = "/job:worker/replica:0/task:0/device:CPU:0", source = "/job:ps/replica:0/task:0/device:CPU:0", tensor = "^sent"} : () -> !weir.control
  %d = weir.send after(%c) {tensor = "^sent", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:worker/replica:0/task:0/device:CPU:0"} : () -> !weir.control
  weir.fetch after(%d)
}

// CHECK-LABEL: weir.graph @worker(
weir.graph @worker() {
  // CHECK: weir.receive {destination = "/job:worker/replica:0/task:0/device:GPU:1", source = "/job:ps/replica:0/task:0/device:CPU:0", tensor = "w:0"} : () -> (tensor<2xf32>, !weir.control)
  %w, %c = weir.receive {tensor = "w:0", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:worker/replica:0/task:0/device:GPU:1"} : () -> (tensor<2xf32>, !weir.control)
  // CHECK: weir.receive after(%{{.+}}) {{{.*}}tensor = "^sent"} : () -> !weir.control
  %d = weir.receive after(%c) {tensor = "^sent", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:worker/replica:0/task:0/device:GPU:1"} : () -> !weir.control
  weir.fetch after(%d)
}

// Two shards, and what makes them one checkpoint.
// CHECK-LABEL: weir.graph @save(
weir.graph @save(%path: tensor<!weir.string>, %w: tensor<2xf32>, %b: tensor<f32>) {
  // CHECK: weir.save_shard %{{.+}}, %{{.+}}, %{{.+}} {names = ["w", "b"], shard = 0 : i64, shards = 2 : i64} : (tensor<!weir.string>, tensor<2xf32>, tensor<f32>) -> (tensor<!weir.string>, !weir.control)
  %r0, %c0 = weir.save_shard %path, %w, %b {names = ["w", "b"], shard = 0 : i64, shards = 2 : i64}
      : (tensor<!weir.string>, tensor<2xf32>, tensor<f32>) -> (tensor<!weir.string>, !weir.control)
  // A task may have nothing.
  // CHECK: weir.save_shard %{{.+}} after(%{{.+}}) {names = [], shard = 1 : i64, shards = 2 : i64} : (tensor<!weir.string>) -> (tensor<!weir.string>, !weir.control)
  %r1, %c1 = weir.save_shard %path after(%c0) {names = [], shard = 1 : i64, shards = 2 : i64}
      : (tensor<!weir.string>) -> (tensor<!weir.string>, !weir.control)
  // CHECK: weir.save_commit %{{.+}}, %{{.+}}, %{{.+}} : (tensor<!weir.string>, tensor<!weir.string>, tensor<!weir.string>) -> !weir.control
  %c2 = weir.save_commit %path, %r0, %r1
      : (tensor<!weir.string>, tensor<!weir.string>, tensor<!weir.string>) -> !weir.control
  weir.fetch after(%c1, %c2)
}
