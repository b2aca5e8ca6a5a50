// weir-raise-control-flow: what holds control flow is named, not passed over.
//
// RUN: weir-opt %s -verify-diagnostics --weir-raise-control-flow

weir.graph @structured(%x: tensor<f32>) {
  %c = arith.constant true
  // expected-error@below {{[WEIR0109] node 'choice' (scf.if) holds control flow, which graphs cannot have yet}}
  scf.if %c {
  } {weir.name = "choice"}
  weir.fetch
}
