// Every error of the verifiers and of type inference for shapes, reductions, indices and
// random numbers. The constraint violated
// stands above each (`matmul_c2`); what ODS checks has none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

weir.graph @f(%x: tensor<4xf32>) {
  // reshape_c1
  // expected-error@below {{[WEIR0042] shape [-1, -1] needs extents >= 0, at most one of them -1}}
  %y = weir.reshape %x {shape = array<i64: -1, -1>} : (tensor<4xf32>) -> tensor<?x?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // reshape_c1
  // expected-error@below {{[WEIR0042] shape [-2] needs extents >= 0, at most one of them -1}}
  %y = weir.reshape %x {shape = array<i64: -2>} : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

// A product that overflows is no number of elements.
weir.graph @f(%x: tensor<4xf32>) {
  // reshape_c1
  // expected-error@below {{[WEIR0042] shape [9223372036854775807, 9223372036854775807] needs extents >= 0}}
  %y = weir.reshape %x {shape = array<i64: 9223372036854775807, 9223372036854775807>} : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?xf32>) {
  // reshape_c1
  // expected-error@below {{[WEIR0042] shape [0, -1] has a -1 beside a 0: any extent would do; write the extent that is meant}}
  %y = weir.reshape %x {shape = array<i64: 0, -1>} : (tensor<?xf32>) -> tensor<0x?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // reshape_c2
  // expected-error@below {{[WEIR0043] cannot give 4 elements of 'tensor<4xf32>' the shape [3]}}
  %y = weir.reshape %x {shape = array<i64: 3>} : (tensor<4xf32>) -> tensor<3xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // reshape_c2
  // expected-error@below {{[WEIR0043] cannot give 4 elements of 'tensor<4xf32>' the shape [3, -1]}}
  %y = weir.reshape %x {shape = array<i64: 3, -1>} : (tensor<4xf32>) -> tensor<3x?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // reshape_like_c1
  // expected-error@below {{[WEIR0043] cannot give 4 elements of 'tensor<4xf32>' the shape of 'tensor<3xf32>'}}
  %z = weir.reshape_like %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<3xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // expand_dims_c1
  // expected-error@below {{[WEIR0040] axes [2] are not ascending dimensions of a result of rank 2}}
  %y = weir.expand_dims %x {axes = array<i64: 2>} : (tensor<4xf32>) -> tensor<4x1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x1xf32>) {
  // squeeze_c1
  // expected-error@below {{[WEIR0040] axes [-1] are not ascending dimensions of 'tensor<4x1xf32>'}}
  %y = weir.squeeze %x {axes = array<i64: -1>} : (tensor<4x1xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<?x1xf32>) {
  // squeeze_c2
  // expected-error@below {{[WEIR0044] dimension 0 of 'tensor<?x1xf32>' is not statically 1}}
  %y = weir.squeeze %x {axes = array<i64: 0>} : (tensor<?x1xf32>) -> tensor<1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x3xf32>) {
  // transpose_c1
  // expected-error@below {{[WEIR0045] [1, 1] is no permutation of the dimensions of 'tensor<2x3xf32>'}}
  %y = weir.transpose %x {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x3xf32>) {
  // broadcast_to_c1
  // expected-error@below {{[WEIR0020] 'tensor<2x3xf32>' does not broadcast to [3]}}
  %y = weir.broadcast_to %x {shape = array<i64: 3>} : (tensor<2x3xf32>) -> tensor<3xf32>
  weir.fetch
}

// -----

// The number that stands for a dynamic extent inside the compiler is no extent.
weir.graph @f(%x: tensor<3xf32>) {
  // broadcast_to_c1
  // expected-error@below {{[WEIR0020] 'tensor<3xf32>' does not broadcast to [-9223372036854775808]}}
  %y = weir.broadcast_to %x {shape = array<i64: -9223372036854775808>} : (tensor<3xf32>) -> tensor<?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // broadcast_like_c1
  // expected-error@below {{[WEIR0020] 'tensor<2x3xf32>' does not broadcast to the shape of 'tensor<3xf32>'}}
  %z = weir.broadcast_like %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  weir.fetch
}

// -----

weir.graph @f() {
  // concat_c1
  // expected-error@below {{[WEIR0046] needs at least one operand}}
  %z = weir.concat {axis = 0 : i64} : () -> tensor<0xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // concat_c1
  // expected-error@below {{[WEIR0046] cannot join 'tensor<2xf32>' and 'tensor<2xf64>' along axis 0}}
  %z = weir.concat %x, %y {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2xf32>) {
  // concat_c2
  // expected-error@below {{[WEIR0040] axis 1 is no dimension of 'tensor<2xf32>'}}
  %z = weir.concat %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // concat_c3
  // expected-error@below {{[WEIR0046] cannot join 'tensor<2x3xf32>' and 'tensor<2x4xf32>' along axis 0}}
  %z = weir.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // slice_c1
  // expected-error@below {{[WEIR0047] begin, size and strides have one entry for each of the 1 dimensions}}
  %y = weir.slice %x {begin = array<i64: 0, 0>, size = array<i64: 1>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // slice_c1
  // expected-error@below {{[WEIR0047] dimension 0: begin is >= 0, size >= -1, strides >= 1; got 0, 1, 0}}
  %y = weir.slice %x {begin = array<i64: 0>, size = array<i64: 1>, strides = array<i64: 0>} : (tensor<4xf32>) -> tensor<1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // slice_c2
  // expected-error@below {{[WEIR0047] dimension 0: 2 elements from 3 in steps of 1 do not lie inside 'tensor<4xf32>'}}
  %y = weir.slice %x {begin = array<i64: 3>, size = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<1xf32>
  weir.fetch
}

// -----

// No tensor is that long, whatever its extent.
weir.graph @f(%x: tensor<?xf32>) {
  // slice_c2
  // expected-error@below {{[WEIR0047] dimension 0: 9223372036854775807 elements from 1 in steps of 9223372036854775807 do not lie inside 'tensor<?xf32>'}}
  %y = weir.slice %x {begin = array<i64: 1>, size = array<i64: 9223372036854775807>, strides = array<i64: 9223372036854775807>} : (tensor<?xf32>) -> tensor<1xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // pad_c1
  // expected-error@below {{[WEIR0048] low, high and interior have one entry for each of the 1 dimensions}}
  %y = weir.pad %x {low = array<i64: 1, 1>, high = array<i64: 0>, interior = array<i64: 0>} : (tensor<4xf32>) -> tensor<5xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // pad_c1
  // expected-error@below {{[WEIR0048] dimension 0: low, high and interior are >= 0 and sane, got -1, 0, 0}}
  %y = weir.pad %x {low = array<i64: -1>, high = array<i64: 0>, interior = array<i64: 0>} : (tensor<4xf32>) -> tensor<3xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<100000000000xf32>) {
  // pad_c1
  // expected-error@below {{[WEIR0048] dimension 0 of the padded 'tensor<100000000000xf32>' is too large}}
  %y = weir.pad %x {low = array<i64: 0>, high = array<i64: 0>, interior = array<i64: 1000000000>} : (tensor<100000000000xf32>) -> tensor<5xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // reverse_c1
  // expected-error@below {{[WEIR0040] axes [0, 0] are not ascending dimensions of 'tensor<4xf32>'}}
  %y = weir.reverse %x {axes = array<i64: 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f() {
  // iota_c1
  // expected-error@below {{[WEIR0049] counts along axis 1 of a tensor of static extents, got 'tensor<4xi32>'}}
  %i = weir.iota {axis = 1 : i64, type = tensor<4xi32>} : () -> tensor<4xi32>
  weir.fetch
}

// -----

weir.graph @f() {
  // iota_c1
  // expected-error@below {{[WEIR0049] counts along axis 0 of a tensor of static extents, got 'tensor<?xi32>'}}
  %i = weir.iota {axis = 0 : i64, type = tensor<?xi32>} : () -> tensor<?xi32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // dim_size_c1
  // expected-error@below {{[WEIR0040] axis -1 is no dimension of 'tensor<4xf32>'}}
  %y = weir.dim_size %x {axis = -1 : i64} : (tensor<4xf32>) -> tensor<i64>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2x3xf32>) {
  // reduce_sum_c1
  // expected-error@below {{[WEIR0040] axes [1, 0] are not ascending dimensions of 'tensor<2x3xf32>'}}
  %y = weir.reduce_sum %x {axes = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // argmax_c1
  // expected-error@below {{[WEIR0040] axis 1 is no dimension of 'tensor<4xf32>'}}
  %y = weir.argmax %x {axis = 1 : i64, to = i32} : (tensor<4xf32>) -> tensor<i32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // argmax_c2
  // expected-error@below {{[WEIR0041] the index is i32 or i64, got 'i8'}}
  %y = weir.argmax %x {axis = 0 : i64, to = i8} : (tensor<4xf32>) -> tensor<i32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<0x4xf32>) {
  // argmin_c3
  // expected-error@below {{[WEIR0041] there is no extreme of nothing: axis 0 of 'tensor<0x4xf32>' is empty}}
  %y = weir.argmin %x {axis = 0 : i64, to = i32} : (tensor<0x4xf32>) -> tensor<4xi32>
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<4xf32>, %b: tensor<2xi32>) {
  // gather_c1
  // expected-error@below {{[WEIR0040] axis 1 is no dimension of 'tensor<4xf32>'}}
  %y = weir.gather %a, %b {axis = 1 : i64} : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<4x2xf32>, %b: tensor<3xi32>) {
  // take_along_c1
  // expected-error@below {{[WEIR0052] takes one element of each row of a matrix, got rows 'tensor<4x2xf32>' and indices 'tensor<3xi32>'}}
  %y = weir.take_along %a, %b : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<4x2xf32>, %b: tensor<3xi32>) {
  // unsorted_segment_sum_c1
  // expected-error@below {{[WEIR0050] the shape of the data 'tensor<4x2xf32>' does not begin with that of the segments 'tensor<3xi32>'}}
  %y = weir.unsorted_segment_sum %a, %b {segment_count = 2 : i64} : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<2x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<4x2xf32>, %b: tensor<4xi32>) {
  // unsorted_segment_sum_c2
  // expected-error@below {{[WEIR0050] segment_count is >= 0, got }}
  %y = weir.unsorted_segment_sum %a, %b {segment_count = -1 : i64} : (tensor<4x2xf32>, tensor<4xi32>) -> tensor<2x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xi32>) {
  // one_hot_c1
  // expected-error@below {{[WEIR0051] depth is >= 0, got -1}}
  %y = weir.one_hot %x {depth = -1 : i64, to = f32} : (tensor<4xi32>) -> tensor<4x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xi32>) {
  // one_hot_c2
  // expected-error@below {{[WEIR0051] a numeric element type is needed, got 'i1'}}
  %y = weir.one_hot %x {depth = 2 : i64, to = i1} : (tensor<4xi32>) -> tensor<4x2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<3xi64>) {
  // random_uniform_c1
  // expected-error@below {{[WEIR0060] the seed is tensor<2xi64>, got 'tensor<3xi64>'}}
  %y = weir.random_uniform %x {type = tensor<4xf32>} : (tensor<3xi64>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<2xi64>) {
  // random_normal_c2
  // expected-error@below {{[WEIR0060] the extents of random numbers are static, got 'tensor<?xf32>'}}
  %y = weir.random_normal %x {type = tensor<?xf32>} : (tensor<2xi64>) -> tensor<?xf32>
  weir.fetch
}
