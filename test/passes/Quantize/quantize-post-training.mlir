// weir-quantize-post-training: products with constant weights are done on int8, by the ranges that calibration found.
//
// RUN: weir-opt %s --weir-quantize-post-training --split-input-file | FileCheck %s

// A product, its bias and its ReLU are one node. 255 steps of 1/255 cover the input from 0 to 1, so zero stands at -128;
// 127 steps of 0.5/127 the first column, and 127 of 2/127 the second. The bias is in steps of both scales:
// 0.25 / (1/255 * 0.5/127) = 16192.5 and -1 / (1/255 * 2/127) = -16192.5, to even. The result has 255 steps of 4/255:
// (1/255 * 0.5/127) / (4/255) = 1082196480 / 2^40. A ReLU cuts at the zero point.
// CHECK-LABEL: weir.graph @product(
// CHECK-SAME: %[[X:.+]]: tensor<?x2xf32>
module {
  weir.graph @product(%x: tensor<?x2xf32> {rt.range = array<f64: 0.0, 1.0>}) -> tensor<?x2xf32> {
    // CHECK-NOT: rt.range
    // CHECK-DAG: %[[Q:.+]] = weir.quantize %[[X]] {axis = -1 : i64, scales = array<f32: 0.00392156886>, zero_points = array<i32: -128>}
    // CHECK-DAG: %[[W:.+]] = weir.constant dense<{{\[\[}}127, -127], [-64, 32]]> : tensor<2x2xi8>
    // CHECK-DAG: %[[B:.+]] = weir.constant dense<[16192, -16192]> : tensor<2xi32>
    // CHECK: %[[Y:.+]] = weir.quantized_matmul %[[Q]], %[[W]], %[[B]] {input_zero = -128 : i32, max = 127 : i32, min = -128 : i32, multipliers = array<i32: 1082196480, 1082196480>, output_zero = -128 : i32, shifts = array<i32: 40, 38>, weir.name = "fc"} : (tensor<?x2xi8>, tensor<2x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
    // CHECK: %[[R:.+]] = weir.dequantize %[[Y]] {axis = -1 : i64, scales = array<f32: 0.0156862754>, zero_points = array<i32: -128>}
    // CHECK: weir.fetch %[[R]]
    %w = weir.constant dense<[[0.5, -2.0], [-0.25, 0.5]]> : tensor<2x2xf32>
    %b = weir.constant dense<[0.25, -1.0]> : tensor<2xf32>
    %p = weir.matmul %x, %w {weir.name = "fc"} : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    %s = weir.add %p, %b : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
    %y = weir.relu %s {rt.range = array<f64: 0.0, 4.0>} : (tensor<?x2xf32>) -> tensor<?x2xf32>
    weir.fetch %y : tensor<?x2xf32>
  }
}

// -----

// From one product to the next, everything is int8: nothing is dequantized in between. The ReLU behind the pool is that
// of the convolution.
// CHECK-LABEL: weir.graph @chain(
module {
  weir.graph @chain(%x: tensor<?x16xf32>) -> tensor<?x3xf32> {
    // CHECK: %[[I:.+]] = weir.reshape
    // CHECK-DAG: %[[Q:.+]] = weir.quantize %[[I]] {{.*}} (tensor<?x4x4x1xf32>) -> tensor<?x4x4x1xi8>
    // CHECK-DAG: %[[C:.+]] = weir.quantized_conv2d %[[Q]], {{.*}}min = 0 : i32, {{.*}}output_zero = 0 : i32
    // CHECK-DAG: %[[P:.+]] = weir.quantized_max_pool %[[C]] {padding = #weir.padding<VALID>, strides = array<i64: 2, 2>, window = array<i64: 2, 2>}
    // CHECK-DAG: %[[F:.+]] = weir.reshape %[[P]] {shape = array<i64: -1, 8>} : (tensor<?x2x2x2xi8>) -> tensor<?x8xi8>
    // CHECK-DAG: %[[Y:.+]] = weir.quantized_matmul %[[F]], {{.*}}input_zero = 0 : i32
    // CHECK-NOT: weir.relu
    // CHECK: weir.dequantize %[[Y]]
    // CHECK-NOT: weir.dequantize
    %k = weir.constant dense<0.5> : tensor<3x3x1x2xf32>
    %w = weir.constant dense<0.25> : tensor<8x3xf32>
    %i = weir.reshape %x {shape = array<i64: -1, 4, 4, 1>, rt.range = array<f64: -1.0, 1.0>} : (tensor<?x16xf32>) -> tensor<?x4x4x1xf32>
    %c = weir.conv2d %i, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x4x4x1xf32>, tensor<3x3x1x2xf32>) -> tensor<?x4x4x2xf32>
    %p = weir.max_pool %c {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x4x4x2xf32>) -> tensor<?x2x2x2xf32>
    %r = weir.relu %p {rt.range = array<f64: 0.0, 0.0>} : (tensor<?x2x2x2xf32>) -> tensor<?x2x2x2xf32>
    %f = weir.reshape %r {shape = array<i64: -1, 8>} : (tensor<?x2x2x2xf32>) -> tensor<?x8xf32>
    %y = weir.matmul %f, %w {rt.range = array<f64: -3.0, 3.0>} : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
    weir.fetch %y : tensor<?x3xf32>
  }
}

// -----

// A value that floats read too is dequantized once, and stays int8 for the next product. Weights that are transposed
// are turned.
// CHECK-LABEL: weir.graph @both(
module {
  weir.graph @both(%x: tensor<3x2xf32> {rt.range = array<f64: -1.0, 1.0>}) -> (tensor<3x2xf32>, tensor<3x1xf32>) {
    // CHECK: %[[A:.+]] = weir.quantized_matmul
    // CHECK: %[[R:.+]] = weir.dequantize %[[A]]
    // CHECK: weir.exp %[[R]]
    // CHECK: weir.constant dense<{{\[\[}}127], [64]]> : tensor<2x1xi8>
    // CHECK: weir.quantized_matmul %[[A]], %{{.+}}, %{{.+}} {
    %w = weir.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
    %v = weir.constant dense<[[1.0, 0.5]]> : tensor<1x2xf32>
    %a = weir.matmul %x, %w {rt.range = array<f64: -1.0, 1.0>} : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
    %e = weir.exp %a : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %b = weir.matmul %a, %v {transpose_rhs, rt.range = array<f64: -2.0, 2.0>} : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x1xf32>
    weir.fetch %e, %b : tensor<3x2xf32>, tensor<3x1xf32>
  }
}

// -----

// A bias is added where it is the only thing done with a product; a scale of the result that is far larger than those
// of the input leaves a multiplier of less than 2^-31.
// CHECK-LABEL: weir.graph @shared(
module {
  weir.graph @shared(%x: tensor<1x1xf32> {rt.range = array<f64: 0.0, 1.0>}) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
    // CHECK: weir.constant dense<0> : tensor<1xi32>
    // CHECK: weir.quantized_matmul {{.*}}multipliers = array<i32: 36>{{.*}}shifts = array<i32: 62>
    // CHECK: %[[R:.+]] = weir.dequantize
    // CHECK: weir.add %[[R]]
    %w = weir.constant dense<1.0> : tensor<1x1xf32>
    %b = weir.constant dense<[0.25]> : tensor<1xf32>
    %p = weir.matmul %x, %w {rt.range = array<f64: 0.0, 1.0e15>} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %s = weir.add %p, %b : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
    weir.fetch %p, %s : tensor<1x1xf32>, tensor<1x1xf32>
  }
}

// -----

// No sum may wrap around: a bias of 2^40 takes steps of 2^10. Weights of nothing but zeros have a
// scale.
// CHECK-LABEL: weir.graph @large_bias(
module {
  weir.graph @large_bias(%x: tensor<1x1xf32> {rt.range = array<f64: 0.0, 255.0>}) -> tensor<1x2xf32> {
    // CHECK: weir.constant dense<0> : tensor<1x2xi8>
    // CHECK: weir.constant dense<[1073741824, 3]> : tensor<2xi32>
    %w = weir.constant dense<[[127.0, 0.0]]> : tensor<1x2xf32>
    %b = weir.constant dense<[1099511627776.0, 3.0]> : tensor<2xf32>
    %p = weir.matmul %x, %w : (tensor<1x1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %s = weir.add %p, %b {rt.range = array<f64: 0.0, 2.0e12>} : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    weir.fetch %s : tensor<1x2xf32>
  }
}
