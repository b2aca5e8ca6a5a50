// RUN: weir-opt %s --weir-codegen-inline-groups | FileCheck %s
// The body of a group takes its place, between marks for the trace.

// CHECK-LABEL: func.func @two
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK-NEXT:    %[[M1:.+]] = rt.trace_begin
// CHECK-NEXT:    %[[A:.+]] = weir.exp %[[X]]
// CHECK-NEXT:    rt.trace_end %[[M1]] "first"
// CHECK-NEXT:    %[[M2:.+]] = rt.trace_begin
// CHECK-NEXT:    %[[B:.+]] = weir.neg %[[A]]
// CHECK-NEXT:    rt.trace_end %[[M2]] "second"
// CHECK-NEXT:    return %[[B]], %[[X]]
func.func @two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %g = weir.group "first" -> tensor<4xf32> {
    %a = weir.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    weir.yield %a : tensor<4xf32>
  }
  %h:2 = weir.group "second" -> tensor<4xf32>, tensor<4xf32> {
    %b = weir.neg %g : (tensor<4xf32>) -> tensor<4xf32>
    weir.yield %b, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %h#0, %h#1 : tensor<4xf32>, tensor<4xf32>
}

// Inside of a loop there are no marks; the loop has them.
// CHECK-LABEL: func.func @loop
// CHECK:         %[[M:.+]] = rt.trace_begin
// CHECK-NEXT:    scf.while
// CHECK-NOT:       rt.trace_begin
// CHECK:           weir.neg
// CHECK:           scf.yield
// CHECK:         rt.trace_end %[[M]] "loop"
func.func @loop(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %r = scf.while (%y = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%p) %y : tensor<4xf32>
  } do {
  ^bb0(%y: tensor<4xf32>):
    %g = weir.group "first" -> tensor<4xf32> {
      %a = weir.neg %y : (tensor<4xf32>) -> tensor<4xf32>
      weir.yield %a : tensor<4xf32>
    }
    scf.yield %g : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
