// Every error of the verifiers and of type inference for mathematics, matrix products and
// images. The constraint violated
// stands above each (`matmul_c2`); what ODS checks has none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

weir.graph @f(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // add_c1
  // expected-error@below {{[WEIR0021] element types 'f32' and 'f64' differ; cast one of them}}
  %z = weir.add %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x4xf32>, %y: tensor<3xf32>) {
  // add_c2
  // expected-error@below {{[WEIR0020] shapes 2x4 and 3 do not broadcast}}
  %z = weir.add %x, %y : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // compare_c2
  // expected-error@below {{[WEIR0020] shapes 4 and 3 do not broadcast}}
  %z = weir.compare %x, %y {predicate = #weir.compare<lt>} : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xi1>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // compare_c1
  // expected-error@below {{[WEIR0021] element types 'f32' and 'i32' differ; cast one of them}}
  %z = weir.compare %x, %y {predicate = #weir.compare<lt>} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xi1>, %y: tensor<3xi1>) {
  // logical_and_c2
  // expected-error@below {{[WEIR0020] shapes 4 and 3 do not broadcast}}
  %z = weir.logical_and %x, %y : (tensor<4xi1>, tensor<3xi1>) -> tensor<4xi1>
  weir.fetch
}

// -----

weir.graph @f(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // select_c1
  // expected-error@below {{[WEIR0021] element types 'f32' and 'f64' differ; cast one of them}}
  %z = weir.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // select_c2
  // expected-error@below {{[WEIR0020] shapes 3 and 4 do not broadcast}}
  %z = weir.select %c, %x, %x : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // cast_c1
  // expected-error@below {{[WEIR0022] casts to a numeric or boolean element type, got 'index'}}
  %y = weir.cast %x {to = index} : (tensor<4xf32>) -> tensor<4xi32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %y: tensor<4x2xf32>) {
  // matmul_c1
  // expected-error@below {{[WEIR0030] operands have rank 2 at least, got 'tensor<4xf32>' and 'tensor<4x2xf32>'}}
  %z = weir.matmul %x, %y : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x4xf32>, %y: tensor<4x2xf64>) {
  // matmul_c1
  // expected-error@below {{[WEIR0021] element types 'f32' and 'f64' differ; cast one of them}}
  %z = weir.matmul %x, %y : (tensor<4x4xf32>, tensor<4x2xf64>) -> tensor<4x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x3xf32>, %y: tensor<4x2xf32>) {
  // matmul_c2
  // expected-error@below {{[WEIR0031] contracts 3 columns of 'tensor<4x3xf32>' with 4 rows of 'tensor<4x2xf32>'; the two extents have to be equal}}
  %z = weir.matmul %x, %y : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x4x3xf32>, %y: tensor<5x3x2xf32>) {
  // matmul_c3
  // expected-error@below {{[WEIR0020] batch shapes 2 and 5 do not broadcast}}
  %z = weir.matmul %x, %y : (tensor<2x4x3xf32>, tensor<5x3x2xf32>) -> tensor<2x4x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<8x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c1
  // expected-error@below {{[WEIR0035] images and filters have rank 4, got 'tensor<8x8x1xf32>'}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf64>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c1
  // expected-error@below {{[WEIR0021] element types 'f64' and 'f32' differ; cast one of them}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x1xf64>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x2xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c2
  // expected-error@below {{[WEIR0037] the image 'tensor<1x8x8x2xf32>' has 2 channels, but the filter 'tensor<3x3x1x4xf32>' takes 1}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x2xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c3
  // expected-error@below {{[WEIR0034] a window of 3x3 with strides [1] and dilations [1, 1] does not fit an image of 8x8 with this padding}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c3
  // expected-error@below {{[WEIR0034] a window of 3x3 with strides [0, 1] and dilations [1, 1] does not fit an image of 8x8 with this padding}}
  %y = weir.conv2d %x, %k {strides = array<i64: 0, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c3
  // expected-error@below {{[WEIR0034] a window of 3x3 with strides [1, 1] and dilations [1, -1] does not fit an image of 8x8 with this padding}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, -1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c4
  // expected-error@below {{[WEIR0033] `pads` = [top, bottom, left, right] goes with EXPLICIT padding and with no other}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<EXPLICIT>} : (tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c4
  // expected-error@below {{[WEIR0033] `pads` = [top, bottom, left, right] goes with EXPLICIT padding and with no other}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c4
  // expected-error@below {{[WEIR0034] a window of 3x3 with strides [1, 1] and dilations [1, 1] does not fit an image of 8x8 with this padding}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<EXPLICIT>, pads = array<i64: -1, 0, 0, 0>} : (tensor<1x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x?x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c5
  // expected-error@below {{[WEIR0032] height and width of the image (?x8) and of the window (3x3) have to be two static extents each}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x?x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x?xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c5
  // expected-error@below {{[WEIR0032] dimension 3 of 'tensor<1x8x8x?xf32>' has to be static}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x?xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x2x8x1xf32>, %k: tensor<3x3x1x4xf32>) {
  // conv2d_c6
  // expected-error@below {{[WEIR0034] a window of 3x3 with strides [1, 1] and dilations [1, 1] does not fit an image of 2x8 with this padding}}
  %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<VALID>} : (tensor<1x2x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<1x8x8x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%k: tensor<3x3x1x4xf32>, %d: tensor<1x7x8x4xf32>) {
  // conv2d_backprop_input_c1
  // expected-error@below {{[WEIR0036] the gradient has shape 1x7x8x4, but the forward result has 1x8x8x4}}
  %y = weir.conv2d_backprop_input %k, %d {input_size = array<i64: 8, 8>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<3x3x1x4xf32>, tensor<1x7x8x4xf32>) -> tensor<1x8x8x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%k: tensor<3x3x1x4xf32>, %d: tensor<1x?x8x4xf32>) {
  // conv2d_backprop_input_c1
  // expected-error@below {{[WEIR0036] the gradient has shape 1x?x8x4, but the forward result has 1x8x8x4}}
  %y = weir.conv2d_backprop_input %k, %d {input_size = array<i64: 8, 8>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<3x3x1x4xf32>, tensor<1x?x8x4xf32>) -> tensor<1x8x8x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%k: tensor<3x3x?x4xf32>, %d: tensor<1x8x8x4xf32>) {
  // conv2d_backprop_input_c2
  // expected-error@below {{[WEIR0032] dimension 2 of 'tensor<3x3x?x4xf32>' has to be static}}
  %y = weir.conv2d_backprop_input %k, %d {input_size = array<i64: 8, 8>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<3x3x?x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %d: tensor<2x8x8x4xf32>) {
  // conv2d_backprop_filter_c1
  // expected-error@below {{[WEIR0036] the gradient has shape 2x8x8x4, but the forward result has 1x8x8x4}}
  %y = weir.conv2d_backprop_filter %x, %d {filter_size = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x1xf32>, tensor<2x8x8x4xf32>) -> tensor<3x3x1x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %d: tensor<1x8x8x?xf32>) {
  // conv2d_backprop_filter_c2
  // expected-error@below {{[WEIR0032] dimension 3 of 'tensor<1x8x8x?xf32>' has to be static}}
  %y = weir.conv2d_backprop_filter %x, %d {filter_size = array<i64: 3, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<1x8x8x1xf32>, tensor<1x8x8x?xf32>) -> tensor<3x3x1x4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<8x8x1xf32>) {
  // max_pool_c1
  // expected-error@below {{[WEIR0035] images and filters have rank 4, got 'tensor<8x8x1xf32>'}}
  %y = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<8x8x1xf32>) -> tensor<1x4x4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x?x8x1xf32>) {
  // max_pool_c1
  // expected-error@below {{[WEIR0032] height and width of the image (?x8) and of the window (2x2) have to be two static extents each}}
  %y = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<1x?x8x1xf32>) -> tensor<1x4x4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>) {
  // max_pool_c2
  // expected-error@below {{[WEIR0032] height and width of the image (8x8) and of the window (2) have to be two static extents each}}
  %y = weir.max_pool %x {window = array<i64: 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<1x8x8x1xf32>) -> tensor<1x4x4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>) {
  // max_pool_c2
  // expected-error@below {{[WEIR0034] a window of 2x2 with strides [0, 2] and dilations [] does not fit}}
  %y = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 0, 2>, padding = #weir.padding<VALID>} : (tensor<1x8x8x1xf32>) -> tensor<1x4x4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>) {
  // max_pool_c3
  // expected-error@below {{[WEIR0033] padding by 2 leaves a window of 2 with nothing in it}}
  %y = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<EXPLICIT>, pads = array<i64: 2, 0, 0, 0>} : (tensor<1x8x8x1xf32>) -> tensor<1x4x4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>) {
  // max_pool_c4
  // expected-error@below {{[WEIR0034] a window of 9x2 with strides [2, 2] and dilations [] does not fit}}
  %y = weir.max_pool %x {window = array<i64: 9, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<1x8x8x1xf32>) -> tensor<1x4x4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>) {
  // expected-error@below {{[WEIR0033] `pads` = [top, bottom, left, right] goes with EXPLICIT padding}}
  %y = weir.avg_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<EXPLICIT>} : (tensor<1x8x8x1xf32>) -> tensor<1x4x4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<1x8x8x1xf32>, %y: tensor<1x4x4x1xf32>, %d: tensor<1x3x4x1xf32>) {
  // max_pool_grad_c1
  // expected-error@below {{[WEIR0036] the gradient has shape 1x3x4x1, but the forward result has 1x4x4x1}}
  %z = weir.max_pool_grad %x, %y, %d {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<1x8x8x1xf32>, tensor<1x4x4x1xf32>, tensor<1x3x4x1xf32>) -> tensor<1x8x8x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%d: tensor<1x3x4x1xf32>) {
  // avg_pool_grad_c1
  // expected-error@below {{[WEIR0036] the gradient has shape 1x3x4x1, but the forward result has 1x4x4x1}}
  %z = weir.avg_pool_grad %d {input_size = array<i64: 8, 8>, window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>} : (tensor<1x3x4x1xf32>) -> tensor<1x8x8x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // softmax_c1
  // expected-error@below {{[WEIR0038] the operand has rank 1 at least, got 'tensor<f32>'}}
  %y = weir.softmax %x : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // log_softmax_c1
  // expected-error@below {{[WEIR0038] the operand has rank 1 at least, got 'tensor<f32>'}}
  %y = weir.log_softmax %x : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%l: tensor<3xf32>, %i: tensor<3xi32>) {
  // sparse_softmax_cross_entropy_c1
  // expected-error@below {{[WEIR0039] logits have rank 2 and labels rank 1, got 'tensor<3xf32>' and 'tensor<3xi32>'}}
  %y = weir.sparse_softmax_cross_entropy %l, %i : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  weir.fetch
}

// -----

weir.graph @f(%l: tensor<3x10xf32>, %i: tensor<4xi32>) {
  // sparse_softmax_cross_entropy_c2
  // expected-error@below {{[WEIR0039] there are 4 labels for 3 rows of logits}}
  %y = weir.sparse_softmax_cross_entropy %l, %i : (tensor<3x10xf32>, tensor<4xi32>) -> tensor<3xf32>
  weir.fetch
}
