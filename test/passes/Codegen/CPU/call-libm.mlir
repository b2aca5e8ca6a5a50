// RUN: weir-opt %s --weir-cpu-call-libm | FileCheck %s
// The C library is called where LLVM has no good function, and only there.

// Each element of a vector is a call.
// CHECK-LABEL: func.func @each_element
// CHECK-COUNT-2: call @erf(%{{.+}}) : (f64) -> f64
func.func @each_element(%x: vector<2xf64>) -> vector<2xf64> {
  %y = math.erf %x : vector<2xf64>
  return %y : vector<2xf64>
}

// exp(x) - 1 would lose all digits near 0.
// CHECK-LABEL: func.func @near_zero
// CHECK:         call @expm1(
func.func @near_zero(%x: f64) -> f64 {
  %y = math.expm1 %x : f64
  return %y : f64
}

// What LLVM has an intrinsic for stays whole.
// CHECK-LABEL: func.func @intrinsics
// CHECK:         math.sqrt %{{.+}} : vector<4xf64>
// CHECK:         math.absi %{{.+}} : vector<4xi8>
func.func @intrinsics(%x: vector<4xf64>, %i: vector<4xi8>) -> (vector<4xf64>, vector<4xi8>) {
  %y = math.sqrt %x : vector<4xf64>
  %j = math.absi %i : vector<4xi8>
  return %y, %j : vector<4xf64>, vector<4xi8>
}
