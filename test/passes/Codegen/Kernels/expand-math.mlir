// RUN: weir-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(weir-codegen-expand-math))' | FileCheck %s
// Elementary functions of f32 become arithmetic, so that no vector is taken apart
// into calls of the C library.

// CHECK-LABEL: func.func @vectors
// CHECK-NOT:     math.exp
// CHECK:         math.fma {{.*}} : vector<8xf32>
// CHECK-NOT:     math.exp
// CHECK:         return
module attributes {rt.target = {features = "+avx2,+fma", vector_bytes = 32}} {
  func.func @vectors(%x: vector<8xf32>) -> vector<8xf32> {
    %0 = math.exp %x : vector<8xf32>
    return %0 : vector<8xf32>
  }
}

// -----

// A CPU without a fused multiply-add gets none.
// CHECK-LABEL: func.func @no_fma
// CHECK-NOT:     math.fma
// CHECK-NOT:     math.tanh
// CHECK:         return
module {
  func.func @no_fma(%x: f32) -> f32 {
    %0 = math.tanh %x : f32
    return %0 : f32
  }
}

// -----

// Large angles go to the C library, all others are reduced here.
// CHECK-LABEL: func.func @angles
// CHECK:         %[[ANY:.+]] = vector.reduction <or>
// CHECK:         scf.if %[[ANY]]
// CHECK:           math.sin
// CHECK:         } else {
// CHECK-NOT:       math.sin
// CHECK:         }
module {
  func.func @angles(%x: vector<4xf32>) -> vector<4xf32> {
    %0 = math.sin %x : vector<4xf32>
    return %0 : vector<4xf32>
  }
}

// -----

// Half precision goes by way of f32; rounding to bf16 is integer arithmetic.
// CHECK-LABEL: func.func @bf16
// CHECK-NOT:     math.exp
// CHECK-NOT:     arith.truncf
// CHECK:         return
module {
  func.func @bf16(%x: vector<8xbf16>) -> vector<8xbf16> {
    %0 = math.exp %x : vector<8xbf16>
    return %0 : vector<8xbf16>
  }
}

// -----

// Double precision stays.
// CHECK-LABEL: func.func @f64
// CHECK:         math.exp %{{.+}} : vector<4xf64>
module {
  func.func @f64(%x: vector<4xf64>) -> vector<4xf64> {
    %0 = math.exp %x : vector<4xf64>
    return %0 : vector<4xf64>
  }
}
