// RUN: weir-opt %s --weir-simplify-prune-nodes --split-input-file | FileCheck %s
// Only what a fetch needs, by data or by control edges, stays.

// CHECK-LABEL: weir.graph @unneeded
// CHECK-NEXT:    %[[Y:.+]] = weir.neg
// CHECK-NEXT:    weir.fetch %[[Y]]
module {
  weir.variable @w : tensor<f32>
  weir.graph @unneeded(%x: tensor<f32>) -> tensor<f32> {
    %y = weir.neg %x : (tensor<f32>) -> tensor<f32>
    %z = weir.exp %y : (tensor<f32>) -> tensor<f32>
    %never = weir.assign @w, %z : tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}

// -----

// A control edge is a need like any other: nothing behind it is dropped.
// CHECK-LABEL: weir.graph @control
// CHECK:         %[[R:.+]], %[[READ:.+]] = weir.read @w
// CHECK:         %[[DONE:.+]] = weir.assign @w, %{{.+}} after(%[[READ]])
// CHECK:         weir.fetch after(%[[DONE]])
module {
  weir.variable @w : tensor<f32>
  weir.graph @control(%x: tensor<f32>) {
    %r, %read = weir.read @w : tensor<f32>
    %done = weir.assign @w, %x after(%read) : tensor<f32>
    weir.fetch after(%done)
  }
}

// -----

// Nodes that wait for each other, but for whom nobody waits, go together.
// CHECK-LABEL: weir.graph @cycle
// CHECK-NEXT:    weir.fetch
module {
  weir.graph @cycle(%x: tensor<f32>) -> tensor<f32> {
    %a = weir.add %x, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b = weir.neg %a : (tensor<f32>) -> tensor<f32>
    weir.fetch %x : tensor<f32>
  }
}
