// weir-import-infer-shapes: contradictions that only show once types are known.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics --weir-import-infer-shapes

weir.graph @late(%x: tensor<4x3xf32>) {
  %t = weir.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<?x?xf32>
  // Both operands look harmless as declared.
  // expected-error@below {{[WEIR0031] contracts 4 columns of 'tensor<3x4xf32>' with 3 rows of 'tensor<3x4xf32>'; the two extents have to be equal}}
  %y = weir.matmul %t, %t : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  weir.fetch
}

// -----

weir.graph @declared(%x: tensor<4xf32>) {
  %y = weir.neg %x : (tensor<4xf32>) -> tensor<?xf32>
  // expected-error@below {{[WEIR0016] gives ('tensor<4xf32>'), but is declared to give ('tensor<5xf32>')}}
  %z = weir.exp %y : (tensor<?xf32>) -> tensor<5xf32>
  weir.fetch
}
