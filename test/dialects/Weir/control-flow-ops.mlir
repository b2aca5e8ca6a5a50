// Round trip of the nodes of dataflow: control flow.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

// A loop: the one cycle that edges may form goes through weir.next_iteration.
// CHECK-LABEL: weir.graph @loop(
weir.graph @loop(%n: tensor<i32>) -> tensor<i32> {
  %zero = weir.constant dense<0> : tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  // CHECK: weir.enter %{{.+}} {frame = "f", parallel_iterations = 10 : i64} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %i, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  // CHECK: weir.enter %{{.+}} {frame = "f", is_constant, parallel_iterations = 1 : i64} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %n0, %c1 = weir.enter %n {frame = "f", is_constant, parallel_iterations = 1 : i64} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  // CHECK: %[[M:.+]], %{{.+}}, %{{.+}} = weir.merge %{{.+}}, %[[NEXT:.+]] : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %less = weir.compare %m, %n0 {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %inc = weir.add %t, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  // CHECK: %[[NEXT]], %{{.+}} = weir.next_iteration %{{.+}} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %next, %c5 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  // CHECK: weir.exit %{{.+}} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// Values of unknown rank and handles go through every node that carries values.
// CHECK-LABEL: weir.graph @carried(
weir.queue @q capacity 1 of tensor<f32>
weir.graph @carried(%x: tensor<*xf32>, %p: tensor<i1>) -> tensor<*xf32> {
  %h = weir.handle @q
  // CHECK: weir.switch %{{.+}}, %{{.+}} : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
  %hf, %ht, %c = weir.switch %h, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
  // CHECK: weir.identity %{{.+}} after(%{{.+}}) : (tensor<*xf32>) -> tensor<*xf32>
  %y = weir.identity %x after(%c) : (tensor<*xf32>) -> tensor<*xf32>
  weir.fetch %y : tensor<*xf32>
}

// CHECK-LABEL: weir.graph @n1_switch(
weir.graph @n1_switch(%x: tensor<f32>, %p: tensor<i1>) {
  // CHECK: weir.switch %{{[^ ,:]+}}, %{{[^ ,:]+}} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n2_switch_n(
weir.graph @n2_switch_n(%x: tensor<f32>, %i: tensor<i32>) {
  // CHECK: weir.switch_n %{{[^ ,:]+}}, %{{[^ ,:]+}} : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, !weir.control)
  %a, %b, %d, %c = weir.switch_n %x, %i : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n3_merge(
weir.graph @n3_merge(%f: tensor<f32>, %t: tensor<f32>) {
  // CHECK: weir.merge %{{[^ ,:]+}}, %{{[^ ,:]+}} : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  %y, %i, %c = weir.merge %f, %t : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n4_enter(
weir.graph @n4_enter(%zero: tensor<i32>) {
  // CHECK: weir.enter %{{[^ ,:]+}} {frame = "loop", parallel_iterations = 10 : i64} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %i, %c = weir.enter %zero {frame = "loop"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n5_loop_cond(
weir.graph @n5_loop_cond(%less: tensor<i1>) {
  // CHECK: weir.loop_cond %{{[^ ,:]+}} : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %p, %c = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n6_control_trigger(
weir.graph @n6_control_trigger() {
  %a = weir.no_op
  %b = weir.no_op
  // CHECK: weir.control_trigger after(%{{[^ ,:]+}}, %{{[^ ,:]+}}) : () -> !weir.control
  %c = weir.control_trigger after(%a, %b) : () -> !weir.control
  weir.fetch
}
