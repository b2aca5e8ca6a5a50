// weir-partition-split-checkpoints: each task saves and restores its own.
//
// RUN: weir-opt %s --weir-partition-split-checkpoints --split-input-file | FileCheck %s

// Two tasks write a shard each; a third commits them.
// CHECK-LABEL: weir.graph @save
// CHECK: %[[R0:.+]], %{{.+}} = weir.save_shard %[[PATH:.+]], %{{.+}} {names = ["a"], shard = 0 : i64, shards = 2 : i64, weir.device = "/job:ps/replica:0/task:0/device:CPU:0"}
// CHECK: %[[R1:.+]], %{{.+}} = weir.save_shard %[[PATH]], %{{.+}} {names = ["b"], shard = 1 : i64, shards = 2 : i64, weir.device = "/job:ps/replica:0/task:1/device:CPU:0"}
// CHECK: %[[C:.+]] = weir.save_commit %[[PATH]], %[[R0]], %[[R1]] {weir.device = "/job:worker/replica:0/task:0/device:CPU:0"}
// CHECK: weir.fetch after(%[[C]])
module attributes {rt.devices = ["/job:worker/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0"]} {
  weir.variable @a : tensor<f32> {weir.device = "/job:ps/replica:0/task:0/device:CPU:0"}
  weir.variable @b : tensor<f32> {weir.device = "/job:ps/replica:0/task:1/device:CPU:0"}
  weir.graph @save(%path: tensor<!weir.string>) {
    %a, %ca = weir.read @a {weir.device = "/job:ps/replica:0/task:0/device:CPU:0"} : tensor<f32>
    %b, %cb = weir.read @b {weir.device = "/job:ps/replica:0/task:1/device:CPU:0"} : tensor<f32>
    %c = weir.save %path, %a, %b names ["a", "b"] {weir.device = "/job:worker/replica:0/task:0/device:CPU:0"} : tensor<!weir.string>, tensor<f32>, tensor<f32>
    weir.fetch after(%c)
  }

  // Each restores what it uses, and who waited for the whole waits for both.
  // CHECK-LABEL: weir.graph @restore
  // CHECK: %[[A:.+]], %[[C0:.+]] = weir.restore %{{.+}} names ["a"] {weir.device = "/job:ps/replica:0/task:0/device:CPU:0"}
  // CHECK: %[[B:.+]], %[[C1:.+]] = weir.restore %{{.+}} names ["b"] {weir.device = "/job:ps/replica:0/task:1/device:CPU:0"}
  // CHECK: %[[BOTH:.+]] = weir.no_op after(%[[C0]], %[[C1]])
  // CHECK: weir.assign @a, %[[A]]
  // CHECK: weir.assign @b, %[[B]] after(%[[BOTH]])
  weir.graph @restore(%path: tensor<!weir.string>) {
    %a, %b, %c = weir.restore %path names ["a", "b"] {weir.device = "/job:worker/replica:0/task:0/device:CPU:0"} : tensor<!weir.string> -> tensor<f32>, tensor<f32>
    %ca = weir.assign @a, %a {weir.device = "/job:ps/replica:0/task:0/device:CPU:0"} : tensor<f32>
    %cb = weir.assign @b, %b after(%c) {weir.device = "/job:ps/replica:0/task:1/device:CPU:0"} : tensor<f32>
    weir.fetch after(%ca, %cb)
  }
}
