// Round trip of the nodes on int8.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

// One scale for the tensor, or one for each place of an axis.
// CHECK-LABEL: weir.graph @storage(
weir.graph @storage(%x: tensor<?x4xf32>, %q: tensor<?x2xi8>) {
  // CHECK: weir.quantize %{{.+}} {axis = -1 : i64, scales = array<f32: 5.000000e-01>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  %0 = weir.quantize %x {scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  // CHECK: weir.dequantize %{{.+}} {axis = 1 : i64, scales = array<f32: 5.000000e-01, 2.000000e+00>, zero_points = array<i32: 127, -128>} : (tensor<?x2xi8>) -> tensor<?x2xf32>
  %1 = weir.dequantize %q {axis = 1 : i64, scales = array<f32: 0.5, 2.0>, zero_points = array<i32: 127, -128>}
      : (tensor<?x2xi8>) -> tensor<?x2xf32>
  weir.fetch
}

// CHECK-LABEL: weir.graph @products(
weir.graph @products(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // CHECK: weir.quantized_matmul %{{.+}}, %{{.+}}, %{{.+}} {input_zero = 3 : i32, max = 100 : i32, min = -128 : i32, multipliers = array<i32: 0>, output_zero = -128 : i32, shifts = array<i32: 1>} : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  %0 = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 0>, shifts = array<i32: 1>,
        output_zero = -128 : i32, min = -128 : i32, max = 100 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  // A multiplier for each column.
  // CHECK: weir.quantized_matmul {{.*}}multipliers = array<i32: 2147483647, 5>{{.*}}shifts = array<i32: 62, 1>
  %1 = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 2147483647, 5>,
        shifts = array<i32: 62, 1>, output_zero = 127 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// CHECK-LABEL: weir.graph @images(
weir.graph @images(%x: tensor<?x8x8x1xi8>, %k: tensor<3x3x1x4xi8>, %b: tensor<4xi32>) {
  // CHECK: weir.quantized_conv2d %{{.+}}, %{{.+}}, %{{.+}} {dilations = array<i64: 1, 1>, input_zero = -128 : i32, max = 127 : i32, min = -128 : i32, multipliers = array<i32: 1518500250>, output_zero = -128 : i32, padding = #weir.padding<SAME>, shifts = array<i32: 38>, strides = array<i64: 1, 1>} : (tensor<?x8x8x1xi8>, tensor<3x3x1x4xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  %0 = weir.quantized_conv2d %x, %k, %b {input_zero = -128 : i32, multipliers = array<i32: 1518500250>,
        shifts = array<i32: 38>, output_zero = -128 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xi8>, tensor<3x3x1x4xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  // CHECK: weir.quantized_max_pool %{{.+}} {padding = #weir.padding<VALID>, strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x8x8x4xi8>) -> tensor<?x4x4x4xi8>
  %1 = weir.quantized_max_pool %0 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x4xi8>) -> tensor<?x4x4x4xi8>
  weir.fetch
}
