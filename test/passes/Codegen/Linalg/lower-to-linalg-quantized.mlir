// weir-codegen-lower-to-linalg: arithmetic on int8. Products are plain contractions of int8; the zero point of the
// input is taken out of the bias.
//
// RUN: weir-opt %s --pass-pipeline='builtin.module(func.func(weir-codegen-lower-to-linalg))' | FileCheck %s

// The bias less 3 times the sum of each column: 10 - 3 * (1 + 2), 20 - 3 * (-1 + 5). With the usual shifts the product
// is shifted without a sign, with 2^63 on top: of 2^25 too much the result is clamped in 32 bits.
// CHECK-LABEL: func.func @constant_weights
// CHECK:         %[[BIAS:.+]] = arith.constant dense<[1, 8]> : tensor<2xi32>
// CHECK:         linalg.generic
// CHECK:           arith.extsi {{.*}} : i8 to i32
// CHECK:           arith.extsi {{.*}} : i8 to i32
// CHECK:           arith.muli {{.*}} : i32
// CHECK:           arith.addi {{.*}} : i32
// CHECK:         %[[LOW:.+]] = arith.constant 33554304 : i32
// CHECK:         %[[HIGH:.+]] = arith.constant 33554559 : i32
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[BIAS]] : tensor<?x2xi32>, tensor<2xi32>)
// CHECK:           arith.shrui {{.*}} : i64
// CHECK:           arith.maxsi %{{.+}}, %[[LOW]] : i32
// CHECK:           arith.minsi %{{.+}}, %[[HIGH]] : i32
// CHECK:           arith.trunci {{.*}} : i32 to i8
func.func @constant_weights(%x: tensor<?x2xi8>) -> tensor<?x2xi8> {
  %0 = weir.group "g" -> tensor<?x2xi8> {
    %w = weir.constant dense<[[1, -1], [2, 5]]> : tensor<2x2xi8>
    %b = weir.constant dense<[10, 20]> : tensor<2xi32>
    %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 1518500250>,
        shifts = array<i32: 38>, output_zero = 9 : i32} : (tensor<?x2xi8>, tensor<2x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
    weir.yield %y : tensor<?x2xi8>
  }
  return %0 : tensor<?x2xi8>
}

// Weights that come at run time are summed then. A shift beyond the usual ones is done in 64 bits, with the sign.
// CHECK-LABEL: func.func @weights
// CHECK:         %[[MINUS:.+]] = arith.constant -3 : i32
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
// CHECK:           arith.muli %{{.+}}, %[[MINUS]] : i32
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:         linalg.generic
// CHECK:           arith.shrsi {{.*}} : i64
// CHECK:           arith.maxsi {{.*}} : i64
// CHECK:           arith.minsi {{.*}} : i64
func.func @weights(%x: tensor<?x2xi8>, %w: tensor<2x2xi8>, %b: tensor<2xi32>) -> tensor<?x2xi8> {
  %0 = weir.group "g" -> tensor<?x2xi8> {
    %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 1518500250, 1>,
        shifts = array<i32: 38, 62>, output_zero = 9 : i32} : (tensor<?x2xi8>, tensor<2x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
    weir.yield %y : tensor<?x2xi8>
  }
  return %0 : tensor<?x2xi8>
}

// Outside of the image lies the zero point of the input, so that it adds nothing.
// CHECK-LABEL: func.func @padding
// CHECK:         %[[ZERO:.+]] = arith.constant -7 : i8
// CHECK:         linalg.fill ins(%[[ZERO]] : i8) outs(%{{.+}} : tensor<?x6x6x1xi8>)
// CHECK:         tensor.insert_slice %{{.+}} into %{{.+}}[0, 1, 1, 0]
func.func @padding(%x: tensor<?x4x4x1xi8>, %k: tensor<3x3x1x2xi8>, %b: tensor<2xi32>) -> tensor<?x4x4x2xi8> {
  %0 = weir.group "g" -> tensor<?x4x4x2xi8> {
    %y = weir.quantized_conv2d %x, %k, %b {input_zero = -7 : i32, multipliers = array<i32: 1518500250>,
        shifts = array<i32: 38>, output_zero = 9 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>} : (tensor<?x4x4x1xi8>, tensor<3x3x1x2xi8>, tensor<2xi32>) -> tensor<?x4x4x2xi8>
    weir.yield %y : tensor<?x4x4x2xi8>
  }
  return %0 : tensor<?x4x4x2xi8>
}

// Of an int8, the least is -128.
// CHECK-LABEL: func.func @pool
// CHECK:         %[[LEAST:.+]] = arith.constant -128 : i8
// CHECK:         linalg.fill ins(%[[LEAST]] : i8)
// CHECK:         arith.maxsi {{.*}} : i8
func.func @pool(%x: tensor<?x4x4x2xi8>) -> tensor<?x2x2x2xi8> {
  %0 = weir.group "g" -> tensor<?x2x2x2xi8> {
    %y = weir.quantized_max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x4x4x2xi8>) -> tensor<?x2x2x2xi8>
    weir.yield %y : tensor<?x2x2x2xi8>
  }
  return %0 : tensor<?x2x2x2xi8>
}

// A scale for each place of a dimension is an operand; one for all is a number.
// CHECK-LABEL: func.func @storage
// CHECK-DAG:     %[[SCALES:.+]] = arith.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[SCALES]], %{{.+}} : tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>)
// CHECK:           arith.divf
// CHECK:           math.roundeven
// CHECK:           arith.cmpf uno
// CHECK:           arith.fptosi {{.*}} : f32 to i8
// CHECK:         %[[SCALE:.+]] = arith.constant 2.500000e-01 : f32
// CHECK:         linalg.generic
// CHECK:           arith.sitofp
// CHECK:           arith.mulf %{{.+}}, %[[SCALE]]
func.func @storage(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = weir.group "g" -> tensor<?x2xf32> {
    %q = weir.quantize %x {scales = array<f32: 0.5, 2.0>, zero_points = array<i32: 1, 2>, axis = 1 : i64}
      : (tensor<?x2xf32>) -> tensor<?x2xi8>
    %y = weir.dequantize %q {scales = array<f32: 0.25>, zero_points = array<i32: 3>} : (tensor<?x2xi8>) -> tensor<?x2xf32>
    weir.yield %y : tensor<?x2xf32>
  }
  return %0 : tensor<?x2xf32>
}
