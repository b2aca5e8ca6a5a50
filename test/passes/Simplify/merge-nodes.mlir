// RUN: weir-opt %s --weir-simplify-merge-nodes --split-input-file | FileCheck %s
// Pure nodes that compute the same become one; state and names keep nodes apart.

// CHECK-LABEL: weir.graph @equal
// CHECK-NEXT:    %[[E:.+]] = weir.exp
// CHECK-NEXT:    %[[Y:.+]] = weir.add %[[E]], %[[E]]
// CHECK-NEXT:    weir.fetch %[[Y]]
module {
  weir.graph @equal(%x: tensor<f32>) -> tensor<f32> {
    %a = weir.exp %x : (tensor<f32>) -> tensor<f32>
    %b = weir.exp %x : (tensor<f32>) -> tensor<f32>
    %y = weir.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}

// -----

// Two reads of a variable may see different values.
// CHECK-LABEL: weir.graph @state
// CHECK-COUNT-2: weir.read @w
module {
  weir.variable @w : tensor<f32>
  weir.graph @state() -> tensor<f32> {
    %a, %ca = weir.read @w : tensor<f32>
    %b, %cb = weir.read @w : tensor<f32>
    %y = weir.sub %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}

// -----

// A node that waits for something is not one that does not.
// CHECK-LABEL: weir.graph @waiting
// CHECK-COUNT-2: weir.identity
module {
  weir.variable @w : tensor<f32>
  weir.graph @waiting(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %c = weir.assign @w, %x : tensor<f32>
    %a = weir.identity %x after(%c) : (tensor<f32>) -> tensor<f32>
    %b = weir.identity %x : (tensor<f32>) -> tensor<f32>
    weir.fetch %a, %b : tensor<f32>, tensor<f32>
  }
}

// -----

// A gradient is taken with respect to one of two equal values: they stay two until it is expanded.
// CHECK-LABEL: weir.graph @request
// CHECK-COUNT-2: weir.exp
module {
  weir.graph @request(%x: tensor<f32>) -> tensor<f32> {
    %a = weir.exp %x : (tensor<f32>) -> tensor<f32>
    %b = weir.exp %x : (tensor<f32>) -> tensor<f32>
    %y = weir.mul %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %g = weir.gradients %y wrt(%a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %g : tensor<f32>
  }
}
