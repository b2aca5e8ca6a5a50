// RUN: weir-opt %s --load-pass-plugin=%weir_lib/MulToSquare.so \
// RUN:   --pass-pipeline='builtin.module(weir.graph(mul-to-square))' | FileCheck %s
// The pass of the example plugin.

// A product of a value with itself is its square, and waits for what it waited for.
// CHECK-LABEL: weir.graph @square
// CHECK:         %[[DONE:.+]] = weir.no_op
// CHECK:         weir.square %{{.+}} after(%[[DONE]])
weir.graph @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %done = weir.no_op
  %y = weir.mul %x, %x after(%done) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %y : tensor<4xf32>
}

// Other products stay.
// CHECK-LABEL: weir.graph @product
// CHECK:         weir.mul
weir.graph @product(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = weir.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %z : tensor<4xf32>
}
