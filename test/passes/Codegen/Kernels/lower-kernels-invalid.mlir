// RUN: weir-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(weir-codegen-lower-kernels))'
// What the kernels cannot take is said where it stands; what they take slowly is remarked on.

// Tensors are for bufferization.
func.func @tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{[WEIR0151] this op still works on tensors; run bufferization before 'weir-codegen-lower-kernels'}}
  %0 = linalg.map { math.exp } ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>)
  return %0 : tensor<4xf32>
}

// -----

// A target attribute of another form.
// expected-error @below {{[WEIR0150] the module's attribute 'rt.target' has 'vector_bytes' = 24, which is not a power of two from 16 to 256}}
module attributes {rt.target = {vector_bytes = 24}} {
  func.func @f() {
    return
  }
}

// -----

// expected-error @below {{[WEIR0150] the module's attribute 'rt.target' has 'cpu', which is not a string}}
module attributes {rt.target = {cpu = 7}} {
  func.func @f() {
    return
  }
}

// -----

// Maps that are not linear are run by plain loops.
func.func @not_linear(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-remark @below {{an operand is not indexed linearly: plain loops are made}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
