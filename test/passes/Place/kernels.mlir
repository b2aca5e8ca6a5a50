// weir-place-assign-devices: which devices can run what, and where nodes go that
// ask for nothing.
//
// RUN: weir-opt %s --weir-place-assign-devices --split-input-file | FileCheck %s
// RUN: not weir-opt %S/Inputs/no-kernel.mlir --weir-place-assign-devices 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: weir-opt %S/Inputs/no-kernel.mlir --weir-place-assign-devices=soft-placement 2>&1 | FileCheck %s --check-prefix=SOFT

// ERROR: no-kernel.mlir:7:{{[0-9]+}}: error: [WEIR0109] node 'take' (weir.dequeue) cannot be on '/job:localhost/replica:0/task:0/device:GPU:0'
// ERROR-SAME: it has kernels for CPU only; ask for another device, or let it be moved with soft placement
// SOFT: remark: node 'take' asks for device '/device:GPU:0' and is placed on '/job:localhost/replica:0/task:0/device:CPU:0'
// SOFT: weir.dequeue {{.+}}weir.device = "/job:localhost/replica:0/task:0/device:CPU:0"

// A node that asks for nothing is where most of what it takes is made.
// CHECK-LABEL: weir.graph @near
// CHECK: weir.matmul {{.+}}device:GPU:0"
// CHECK: weir.relu {{.+}}device:GPU:0"
// CHECK: weir.add {{.+}}device:GPU:0"
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"]} {
  weir.graph @near(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %m = weir.matmul %x, %x {weir.device = "/gpu:0"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %r = weir.relu %m : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %c = weir.constant dense<1.0> : tensor<8x8xf32>
    %a = weir.add %r, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    weir.fetch %a : tensor<8x8xf32>
  }
}

// -----

// Of the first device that has all kernels: strings are of CPUs.
// CHECK-LABEL: weir.graph @strings
// CHECK: weir.identity {{.+}}device:CPU:0"
// CHECK: weir.neg {{.+}}device:GPU:0"
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:GPU:0", "/job:localhost/replica:0/task:0/device:CPU:0"]} {
  weir.graph @strings(%s: tensor<!weir.string>, %x: tensor<f32>) -> (tensor<!weir.string>, tensor<f32>) {
    %t = weir.identity %s : (tensor<!weir.string>) -> tensor<!weir.string>
    %y = weir.neg %x : (tensor<f32>) -> tensor<f32>
    weir.fetch %t, %y : tensor<!weir.string>, tensor<f32>
  }
}
