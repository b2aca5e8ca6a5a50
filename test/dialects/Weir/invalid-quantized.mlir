// Every error of type inference for the nodes on int8. The constraint violated
// stands above each; what ODS checks has none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c1
  // expected-error@below {{[WEIR0072] axis 2 is -1 or a dimension of static extent of 'tensor<?x4xf32>'}}
  %y = weir.quantize %x {axis = 2 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c1
  // expected-error@below {{[WEIR0072] axis -2 is -1 or a dimension}}
  %y = weir.quantize %x {axis = -2 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

// An open extent has no number of scales.
weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c1
  // expected-error@below {{[WEIR0072] axis 0 is -1 or a dimension of static extent of 'tensor<?x4xf32>'}}
  %y = weir.quantize %x {axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c1
  // expected-error@below {{[WEIR0072] there are 1 scales and 1 zero points for 4 places along the axis; there has to be one for each}}
  %y = weir.quantize %x {axis = 1 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c1
  // expected-error@below {{[WEIR0072] there are 2 scales and 1 zero points for 1 tensor; there has to be one for each}}
  %y = weir.quantize %x {scales = array<f32: 0.5, 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c1
  // expected-error@below {{[WEIR0072] there are 1 scales and 0 zero points for 1 tensor}}
  %y = weir.quantize %x {scales = array<f32: 0.5>, zero_points = array<i32>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got 0.000000 and 0}}
  %y = weir.quantize %x {scales = array<f32: 0.0>, zero_points = array<i32: 0>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got -1.000000 and 0}}
  %y = weir.quantize %x {scales = array<f32: -1.0>, zero_points = array<i32: 0>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got inf and 0}}
  %y = weir.quantize %x {scales = array<f32: 0x7F800000>, zero_points = array<i32: 0>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got nan and 0}}
  %y = weir.quantize %x {scales = array<f32: 0x7FC00000>, zero_points = array<i32: 0>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got 0.500000 and 128}}
  %y = weir.quantize %x {scales = array<f32: 0.5>, zero_points = array<i32: 128>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xf32>) {
  // quantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got 0.500000 and -129}}
  %y = weir.quantize %x {scales = array<f32: 0.5>, zero_points = array<i32: -129>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c1
  // expected-error@below {{[WEIR0072] axis 2 is -1 or a dimension of static extent of 'tensor<?x4xi8>'}}
  %y = weir.dequantize %x {axis = 2 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c1
  // expected-error@below {{[WEIR0072] axis -2 is -1 or a dimension}}
  %y = weir.dequantize %x {axis = -2 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

// An open extent has no number of scales.
weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c1
  // expected-error@below {{[WEIR0072] axis 0 is -1 or a dimension of static extent of 'tensor<?x4xi8>'}}
  %y = weir.dequantize %x {axis = 0 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c1
  // expected-error@below {{[WEIR0072] there are 1 scales and 1 zero points for 4 places along the axis; there has to be one for each}}
  %y = weir.dequantize %x {axis = 1 : i64, scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c1
  // expected-error@below {{[WEIR0072] there are 2 scales and 1 zero points for 1 tensor; there has to be one for each}}
  %y = weir.dequantize %x {scales = array<f32: 0.5, 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c1
  // expected-error@below {{[WEIR0072] there are 1 scales and 0 zero points for 1 tensor}}
  %y = weir.dequantize %x {scales = array<f32: 0.5>, zero_points = array<i32>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got 0.000000 and 0}}
  %y = weir.dequantize %x {scales = array<f32: 0.0>, zero_points = array<i32: 0>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got -1.000000 and 0}}
  %y = weir.dequantize %x {scales = array<f32: -1.0>, zero_points = array<i32: 0>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got inf and 0}}
  %y = weir.dequantize %x {scales = array<f32: 0x7F800000>, zero_points = array<i32: 0>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got nan and 0}}
  %y = weir.dequantize %x {scales = array<f32: 0x7FC00000>, zero_points = array<i32: 0>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got 0.500000 and 128}}
  %y = weir.dequantize %x {scales = array<f32: 0.5>, zero_points = array<i32: 128>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x4xi8>) {
  // dequantize_c2
  // expected-error@below {{[WEIR0072] a scale is finite and positive and a zero point in -128 to 127, got 0.500000 and -129}}
  %y = weir.dequantize %x {scales = array<f32: 0.5>, zero_points = array<i32: -129>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c1
  // expected-error@below {{[WEIR0030] operands have rank 2 and a known number of columns, got 'tensor<2x?x64xi8>' and 'tensor<64x2xi8>'}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<2x?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x?xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c1
  // expected-error@below {{[WEIR0030] operands have rank 2 and a known number of columns, got 'tensor<?x64xi8>' and 'tensor<64x?xi8>'}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x?xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<63x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c1
  // expected-error@below {{[WEIR0031] contracts 64 columns of 'tensor<?x64xi8>' with 63 rows of 'tensor<63x2xi8>'; the two extents have to be equal}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<63x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<3xi32>) {
  // quantized_matmul_c1
  // expected-error@below {{[WEIR0073] the bias is 'tensor<3xi32>' for 2 columns; there has to be one entry for each}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<3xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<?xi32>) {
  // quantized_matmul_c1
  // expected-error@below {{[WEIR0073] the bias is 'tensor<?xi32>' for 2 columns}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<?xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<1x2xi32>) {
  // quantized_matmul_c1
  // expected-error@below {{[WEIR0073] the bias is 'tensor<1x2xi32>' for 2 columns}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<1x2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c2
  // expected-error@below {{[WEIR0073] there are 3 multipliers and 3 shifts; there has to be one, or one for each of 2 columns}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 1, 2, 3>, shifts = array<i32: 1, 2, 3>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c2
  // expected-error@below {{[WEIR0073] there are 2 multipliers and 1 shifts}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 1, 2>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c2
  // expected-error@below {{[WEIR0073] a multiplier is not negative and a shift in 1 to 62, got -1 and 1}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: -1>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c2
  // expected-error@below {{[WEIR0073] a multiplier is not negative and a shift in 1 to 62, got 5 and 0}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 0>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c2
  // expected-error@below {{[WEIR0073] a multiplier is not negative and a shift in 1 to 62, got 5 and 63}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 63>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c3
  // expected-error@below {{[WEIR0073] zero points 128 and 0, min -128 and max 127 have to be in -128 to 127, and min <= max}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 128 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c3
  // expected-error@below {{[WEIR0073] zero points 3 and -129, min -128 and max 127 have to be in -128 to 127, and min <= max}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = -129 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c3
  // expected-error@below {{[WEIR0073] zero points 3 and 0, min -129 and max 127 have to be in -128 to 127, and min <= max}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, min = -129 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c3
  // expected-error@below {{[WEIR0073] zero points 3 and 0, min -128 and max 128 have to be in -128 to 127, and min <= max}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, max = 128 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x64xi8>, %w: tensor<64x2xi8>, %b: tensor<2xi32>) {
  // quantized_matmul_c3
  // expected-error@below {{[WEIR0073] zero points 3 and 0, min 5 and max 4 have to be in -128 to 127, and min <= max}}
  %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, min = 5 : i32, max = 4 : i32}
      : (tensor<?x64xi8>, tensor<64x2xi8>, tensor<2xi32>) -> tensor<?x2xi8>
  weir.fetch
}

// -----

// What weir.conv2d demands.
weir.graph @f(%x: tensor<?x8x8xi8>, %w: tensor<3x3x1x4xi8>, %b: tensor<4xi32>) {
  // quantized_conv2d_c1
  // expected-error@below {{[WEIR0035] images and filters have rank 4, got 'tensor<?x8x8xi8>'}}
  %y = weir.quantized_conv2d %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8xi8>, tensor<3x3x1x4xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x2xi8>, %w: tensor<3x3x1x4xi8>, %b: tensor<4xi32>) {
  // quantized_conv2d_c1
  // expected-error@below {{[WEIR0037] the image 'tensor<?x8x8x2xi8>' has 2 channels, but the filter 'tensor<3x3x1x4xi8>' takes 1}}
  %y = weir.quantized_conv2d %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8x2xi8>, tensor<3x3x1x4xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x1xi8>, %w: tensor<3x3x1x4xi8>, %b: tensor<4xi32>) {
  // quantized_conv2d_c1
  // expected-error@below {{[WEIR0034] a window of 3x3 with strides [0, 1] and dilations [1, 1] does not fit}}
  %y = weir.quantized_conv2d %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, strides = array<i64: 0, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xi8>, tensor<3x3x1x4xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x1xi8>, %w: tensor<3x3x1x4xi8>, %b: tensor<4xi32>) {
  // quantized_conv2d_c1
  // expected-error@below {{[WEIR0033] `pads` = [top, bottom, left, right] goes with EXPLICIT padding and with no other}}
  %y = weir.quantized_conv2d %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, padding = #weir.padding<EXPLICIT>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>}
      : (tensor<?x8x8x1xi8>, tensor<3x3x1x4xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x1xi8>, %w: tensor<3x3x1x?xi8>, %b: tensor<4xi32>) {
  // quantized_conv2d_c1
  // expected-error@below {{[WEIR0032] dimension 3 of 'tensor<3x3x1x?xi8>' has to be static}}
  %y = weir.quantized_conv2d %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xi8>, tensor<3x3x1x?xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x1xi8>, %w: tensor<3x3x1x4xi8>, %b: tensor<3xi32>) {
  // quantized_conv2d_c2
  // expected-error@below {{[WEIR0073] the bias is 'tensor<3xi32>' for 4 columns; there has to be one entry for each}}
  %y = weir.quantized_conv2d %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 1>, output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xi8>, tensor<3x3x1x4xi8>, tensor<3xi32>) -> tensor<?x8x8x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x1xi8>, %w: tensor<3x3x1x4xi8>, %b: tensor<4xi32>) {
  // quantized_conv2d_c2
  // expected-error@below {{[WEIR0073] a multiplier is not negative and a shift in 1 to 62, got 5 and 63}}
  %y = weir.quantized_conv2d %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 5>, shifts = array<i32: 63>, output_zero = 0 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xi8>, tensor<3x3x1x4xi8>, tensor<4xi32>) -> tensor<?x8x8x4xi8>
  weir.fetch
}

// -----

// What weir.max_pool demands.
weir.graph @f(%x: tensor<8x8xi8>) {
  // quantized_max_pool_c1
  // expected-error@below {{[WEIR0035] images and filters have rank 4, got 'tensor<8x8xi8>'}}
  %y = weir.quantized_max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<8x8xi8>) -> tensor<?x4x4x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x?x8x4xi8>) {
  // quantized_max_pool_c1
  // expected-error@below {{[WEIR0032] height and width of the image (?x8) and of the window (2x2) have to be two static extents each}}
  %y = weir.quantized_max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<1x?x8x4xi8>) -> tensor<?x4x4x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x4xi8>) {
  // quantized_max_pool_c1
  // expected-error@below {{[WEIR0034] a window of 9x2 with strides [2, 2] and dilations [] does not fit an image of 8x8}}
  %y = weir.quantized_max_pool %x {window = array<i64: 9, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<?x8x8x4xi8>) -> tensor<?x4x4x4xi8>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x8x8x4xi8>) {
  // quantized_max_pool_c1
  // expected-error@below {{[WEIR0033] padding by 2 leaves a window of 2 with nothing in it}}
  %y = weir.quantized_max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<EXPLICIT>, pads = array<i64: 2, 0, 0, 0>} : (tensor<?x8x8x4xi8>) -> tensor<?x4x4x4xi8>
  weir.fetch
}
