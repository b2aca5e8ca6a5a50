// Every error of the verifiers for computed shapes, values of data-dependent extents and lists. The
// constraint violated stands above each.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

weir.graph @f(%a: tensor<i32>, %d: tensor<i64>) {
  // range_c1
  // expected-error@below {{[WEIR0076] counts with scalars of one element type, got 'tensor<i32>', 'tensor<i32>' and 'tensor<i64>'}}
  %y = weir.range %a, %a, %d : (tensor<i32>, tensor<i32>, tensor<i64>) -> tensor<?xi32>
  weir.fetch
}

// -----

weir.graph @f(%a: tensor<1xi32>) {
  // range_c1
  // expected-error@below {{[WEIR0076] counts with scalars of one element type, got 'tensor<1xi32>', 'tensor<1xi32>' and 'tensor<1xi32>'}}
  %y = weir.range %a, %a, %a : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %s: tensor<?xi32>) {
  // dynamic_reshape_c1
  // expected-error@below {{[WEIR0077] the shape is a vector of static extent, got 'tensor<?xi32>'}}
  %y = weir.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %s: tensor<i64>) {
  // dynamic_broadcast_c1
  // expected-error@below {{[WEIR0077] the shape is a vector of static extent, got 'tensor<i64>'}}
  %y = weir.dynamic_broadcast %x, %s : (tensor<4xf32>, tensor<i64>) -> tensor<?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x1xf32>, %s: tensor<1xi64>) {
  // dynamic_broadcast_c1
  // expected-error@below {{[WEIR0077] cannot repeat 'tensor<4x1xf32>' up to a shape of 1 dimensions}}
  %y = weir.dynamic_broadcast %x, %s : (tensor<4x1xf32>, tensor<1xi64>) -> tensor<?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x2xf32>, %b: tensor<1xi64>) {
  // dynamic_slice_c1
  // expected-error@below {{[WEIR0077] places and strides have one entry for each of the 2 dimensions, got places of type 'tensor<1xi64>' and 2 strides}}
  %y = weir.dynamic_slice %x, %b, %b {strides = array<i64: 1, 1>} : (tensor<4x2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %b: tensor<1xi64>) {
  // dynamic_slice_c1
  // expected-error@below {{[WEIR0077] strides are >= 1, got 0}}
  %y = weir.dynamic_slice %x, %b, %b {strides = array<i64: 0>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %b: tensor<1xi64>, %n: tensor<1xi32>) {
  // dynamic_slice_c1
  // expected-error@below {{[WEIR0077] begin and size are of one type, got 'tensor<1xi64>' and 'tensor<1xi32>'}}
  %y = weir.dynamic_slice %x, %b, %n {strides = array<i64: 1>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi32>) -> tensor<?xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %u: tensor<2x2xf32>, %b: tensor<1xi64>) {
  // dynamic_update_slice_c1
  // expected-error@below {{[WEIR0077] 'tensor<2x2xf32>' is no box of 'tensor<4xf32>'}}
  %y = weir.dynamic_update_slice %x, %u, %b {strides = array<i64: 1>} : (tensor<4xf32>, tensor<2x2xf32>, tensor<1xi64>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>, %u: tensor<2xf32>, %b: tensor<2xi64>) {
  // dynamic_update_slice_c2
  // expected-error@below {{[WEIR0077] places and strides have one entry for each of the 1 dimensions, got places of type 'tensor<2xi64>' and 1 strides}}
  %y = weir.dynamic_update_slice %x, %u, %b {strides = array<i64: 1>} : (tensor<4xf32>, tensor<2xf32>, tensor<2xi64>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x5xf32>, %i: tensor<2x3xi32>) {
  // gather_nd_c1
  // expected-error@below {{[WEIR0078] the last dimension of 'tensor<2x3xi32>' holds no places in 'tensor<4x5xf32>': its extent is static and at most 2}}
  %y = weir.gather_nd %x, %i : (tensor<4x5xf32>, tensor<2x3xi32>) -> tensor<2xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x5xf32>, %i: tensor<2x?xi32>, %u: tensor<2xf32>) {
  // scatter_nd_c1
  // expected-error@below {{[WEIR0078] the last dimension of 'tensor<2x?xi32>' holds no places in 'tensor<4x5xf32>': its extent is static and at most 2}}
  %y = weir.scatter_nd %x, %i, %u {kind = #weir.scatter_kind<add>} : (tensor<4x5xf32>, tensor<2x?xi32>, tensor<2xf32>) -> tensor<4x5xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4x5xf32>, %i: tensor<2x1xi32>, %u: tensor<2x4xf32>) {
  // scatter_nd_c2
  // expected-error@below {{[WEIR0078] updates of type 'tensor<2x4xf32>' are no slices of 'tensor<4x5xf32>' at places 'tensor<2x1xi32>'}}
  %y = weir.scatter_nd %x, %i, %u {kind = #weir.scatter_kind<add>} : (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<4x5xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xi1>, %i: tensor<2x1xi32>, %u: tensor<2xi1>) {
  // scatter_nd_c3
  // expected-error@below {{[WEIR0078] cannot add 'tensor<2xi1>' to slices of 'tensor<4xi1>'}}
  %y = weir.scatter_nd %x, %i, %u {kind = #weir.scatter_kind<add>} : (tensor<4xi1>, tensor<2x1xi32>, tensor<2xi1>) -> tensor<4xi1>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // cumulative_sum_c1
  // expected-error@below {{[WEIR0040] axis 1 is no dimension of 'tensor<4xf32>'}}
  %y = weir.cumulative_sum %x {axis = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xf32>) {
  // cumulative_prod_c1
  // expected-error@below {{[WEIR0040] axis -1 is no dimension of 'tensor<4xf32>'}}
  %y = weir.cumulative_prod %x {axis = -1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%i: tensor<i32>) {
  // select_n_c1
  // expected-error@below {{[WEIR0079] selects among one operand at least}}
  %y, %c = weir.select_n %i : (tensor<i32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%i: tensor<i32>, %x: tensor<2xf32>) {
  // select_n_c1
  // expected-error@below {{[WEIR0079] an operand of type 'tensor<2xf32>' cannot be a result of type 'tensor<3xf32>'}}
  %y, %c = weir.select_n %i, %x : (tensor<i32>, tensor<2xf32>) -> (tensor<3xf32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%n: tensor<i32>) {
  // tensor_list_c1
  // expected-error@below {{[WEIR0079] elements are tensors or !weir.resource, got 'f32'}}
  %l, %c = weir.tensor_list %n {element = f32} : (tensor<i32>) -> (!weir.resource, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%n: tensor<i32>) {
  // tensor_list_c1
  // expected-error@below {{[WEIR0001]}}
  %l, %c = weir.tensor_list %n {element = tensor<2xi7>} : (tensor<i32>) -> (!weir.resource, !weir.control)
  weir.fetch
}

// -----

weir.graph @f() {
  // temporary_variable_c1
  // expected-error@below {{[WEIR0006] the extents of a variable are static, or its rank is unknown; got 'tensor<?xf32>'}}
  %h, %c = weir.temporary_variable {type = tensor<?xf32>} : () -> (!weir.resource, !weir.control)
  weir.fetch
}
