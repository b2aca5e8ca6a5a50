// RUN: weir-opt %s --pass-pipeline='builtin.module(weir.graph(weir-fuse-group-nodes))' | FileCheck %s
// What the accelerator runs one after the other is one program.

// Its weights, however large, are in the group; what it does not run is in none
// of its groups.
// CHECK-LABEL: weir.graph @network
// CHECK-SAME:    %[[X:.+]]: tensor<?x8x8x1xf32>
// CHECK:         %[[Q:.+]] = weir.group "quantize"
// CHECK:         %[[G:.+]] = weir.group "quantized_conv2d_quantized_max_pool_quantized_matmul" -> tensor<?x10xi8> {
// CHECK:           weir.constant {{.*}}tensor<3x3x1x16xi8>
// CHECK:           weir.quantized_conv2d %[[Q]]
// CHECK:           weir.quantized_max_pool
// CHECK:           weir.reshape
// CHECK:           weir.constant {{.*}}tensor<256x10xi8>
// CHECK:           weir.quantized_matmul
// CHECK:         weir.group "dequantize"
// CHECK:           weir.dequantize %[[G]]
weir.graph @network(%x: tensor<?x8x8x1xf32>) -> tensor<?x10xf32> {
  %q = weir.quantize %x {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0", scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x8x8x1xf32>) -> tensor<?x8x8x1xi8>
  %k = weir.constant {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0"} dense<3> : tensor<3x3x1x16xi8>
  %b = weir.constant {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0"} dense<5> : tensor<16xi32>
  %1 = weir.quantized_conv2d %q, %k, %b {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0", input_zero = 3 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 36>,
    output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
    : (tensor<?x8x8x1xi8>, tensor<3x3x1x16xi8>, tensor<16xi32>) -> tensor<?x8x8x16xi8>
  %p = weir.quantized_max_pool %1 {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0", window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
    : (tensor<?x8x8x16xi8>) -> tensor<?x4x4x16xi8>
  %2 = weir.reshape %p {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0", shape = array<i64: -1, 256>} : (tensor<?x4x4x16xi8>) -> tensor<?x256xi8>
  %w = weir.constant {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0"} dense<-3> : tensor<256x10xi8>
  %c = weir.constant {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0"} dense<7> : tensor<10xi32>
  %3 = weir.quantized_matmul %2, %w, %c {weir.device = "/job:localhost/replica:0/task:0/device:MXU:0", input_zero = 0 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 40>,
    output_zero = 0 : i32} : (tensor<?x256xi8>, tensor<256x10xi8>, tensor<10xi32>) -> tensor<?x10xi8>
  %y = weir.dequantize %3 {weir.device = "/job:localhost/replica:0/task:0/device:CPU:0", scales = array<f32: 0.5>, zero_points = array<i32: 0>} : (tensor<?x10xi8>) -> tensor<?x10xf32>
  weir.fetch %y : tensor<?x10xf32>
}
