// weir-place-assign-devices: what the accelerator can run is not only a matter of
// ops, but of rows, weights and the size of its buffer.
//
// RUN: weir-opt %s --weir-place-assign-devices=soft-placement --split-input-file --verify-diagnostics | FileCheck %s

// A reshape that keeps rows goes where its image is made; a node on floats stays
// on the CPU.
// CHECK-LABEL: weir.graph @network
// CHECK: weir.quantize {{.+}}device:CPU:0"
// CHECK: weir.quantized_conv2d {{.+}}device:MXU:0"
// CHECK: weir.reshape {{.+}}device:MXU:0"
// CHECK: weir.quantized_matmul {{.+}}device:MXU:0"
// CHECK: weir.dequantize {{.+}}device:CPU:0"
module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:MXU:0"]} {
  weir.graph @network(%x: tensor<?x4x4x1xf32>) -> tensor<?x2xf32> {
    %q = weir.quantize %x {scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4x4x1xf32>) -> tensor<?x4x4x1xi8>
    %k = weir.constant dense<3> : tensor<3x3x1x2xi8>
    %b = weir.constant dense<5> : tensor<2xi32>
    %1 = weir.quantized_conv2d %q, %k, %b {weir.device = "/device:MXU:0", input_zero = 3 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
      output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x4x4x1xi8>, tensor<3x3x1x2xi8>, tensor<2xi32>) -> tensor<?x4x4x2xi8>
    %2 = weir.reshape %1 {shape = array<i64: -1, 32>} : (tensor<?x4x4x2xi8>) -> tensor<?x32xi8>
    %w = weir.constant dense<3> : tensor<32x2xi8>
    %3 = weir.quantized_matmul %2, %w, %b {weir.device = "/device:MXU:0", input_zero = 0 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
      output_zero = 0 : i32} : (tensor<?x32xi8>, tensor<32x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
    %y = weir.dequantize %3 {scales = array<f32: 0.5>, zero_points = array<i32: 0>} : (tensor<?x2xi8>) -> tensor<?x2xf32>
    weir.fetch %y : tensor<?x2xf32>
  }
}

// -----

// Rows of another batch, weights that are computed, a row that does not fit.
// CHECK-LABEL: weir.graph @stays
module attributes {rt.mxu = "32x32", rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:MXU:0"]} {
  weir.graph @stays(%x: tensor<?x32xi8>, %z: tensor<8x32xi8>, %w: tensor<32x2xi8>, %b: tensor<2xi32>, %l: tensor<1x200x200x1xi8>)
      -> (tensor<?x16xi8>, tensor<?x2xi8>, tensor<1x200x200x1xi8>) {
    // expected-remark@below {{node 'mixes' asks for device '/device:MXU:0' and is placed on '/job:localhost/replica:0/task:0/device:CPU:0'}}
    %1 = weir.reshape %x {weir.name = "mixes", weir.device = "/device:MXU:0", shape = array<i64: -1, 16>} : (tensor<?x32xi8>) -> tensor<?x16xi8>
    %2 = weir.quantized_matmul %z, %w, %b {input_zero = 0 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
      output_zero = 0 : i32} : (tensor<8x32xi8>, tensor<32x2xi8>, tensor<2xi32>) -> tensor<8x2xi8>
    %3 = weir.reshape %x {shape = array<i64: -1, 8>} : (tensor<?x32xi8>) -> tensor<?x8xi8>
    // expected-remark@below {{node 'computed' asks for device '/device:MXU:0' and is placed on '/job:localhost/replica:0/task:0/device:CPU:0'}}
    %4 = weir.quantized_matmul %3, %2, %b {weir.name = "computed", weir.device = "/device:MXU:0", input_zero = 0 : i32,
      multipliers = array<i32: 1518500250>, shifts = array<i32: 38>, output_zero = 0 : i32}
      : (tensor<?x8xi8>, tensor<8x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
    // expected-remark@below {{node 'large' asks for device '/device:MXU:0' and is placed on '/job:localhost/replica:0/task:0/device:CPU:0'}}
    %5 = weir.quantized_max_pool %l {weir.name = "large", weir.device = "/device:MXU:0", window = array<i64: 3, 3>, strides = array<i64: 1, 1>,
      padding = #weir.padding<SAME>} : (tensor<1x200x200x1xi8>) -> tensor<1x200x200x1xi8>
    weir.fetch %1, %4, %5 : tensor<?x16xi8>, tensor<?x2xi8>, tensor<1x200x200x1xi8>
  }
}
