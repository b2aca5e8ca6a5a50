// What no kernel can be made for is an error at its node.
//
// RUN: weir-opt %s --weir-gpu-map-linalg -split-input-file -verify-diagnostics

func.func @not_linear(%x: memref<8xf32>, %y: memref<16xf32>) {
  // expected-error@below {{[WEIR0153] no GPU kernel for 'not_linear' at}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<8xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

func.func @tensors(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{[WEIR0151] this op still works on tensors}}
  %0 = linalg.copy ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@below {{[WEIR0155] the module's attribute 'rt.gpu' has an architecture that is no number from 80 on}}
module attributes {rt.gpu = {architectures = [75]}} {
  func.func @old() { return }
}

// -----

// expected-error@below {{[WEIR0155] the module's attribute 'rt.gpu' is not a dictionary}}
module attributes {rt.gpu = 80} {
  func.func @number() { return }
}

// -----

// expected-error@below {{[WEIR0155] the module's attribute 'rt.gpu' has 'emulate', which is not a boolean}}
module attributes {rt.gpu = {emulate = "yes"}} {
  func.func @text() { return }
}
