// weir-raise-resolve-handles: state by symbol where a handle is always the same.
//
// RUN: weir-opt %s --weir-raise-resolve-handles --split-input-file | FileCheck %s

// Directly, and with the type that the variable has. Nothing is left of the handle.
// CHECK-LABEL: weir.graph @direct
// CHECK-NEXT:    %[[W:.+]], %[[R:.+]] = weir.read @w : tensor<2xf32>
// CHECK-NEXT:    %[[A:.+]] = weir.assign_add @w, %arg0 after(%[[R]])
// CHECK-NEXT:    %[[B:.+]], %{{.+}} = weir.is_initialized @w after(%[[A]])
// CHECK-NEXT:    weir.fetch %[[W]], %[[B]]
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @direct(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>) {
    %h = weir.handle @w
    %w, %r = weir.read_resource %h : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    %a = weir.assign_add_resource %h, %x after(%r) : (!weir.resource, tensor<2xf32>) -> !weir.control
    %b, %c = weir.is_initialized_resource %h after(%a) : (!weir.resource) -> (tensor<i1>, !weir.control)
    weir.fetch %w, %b : tensor<2xf32>, tensor<i1>
  }
}

// -----

// On one side of a conditional: the node still runs on that side only.
// CHECK-LABEL: weir.graph @side
// CHECK:         %[[H:.+]] = weir.handle @w
// CHECK:         %{{.+}}, %[[T:.+]], %{{.+}} = weir.switch %[[H]], %arg0
// CHECK:         %[[L:.+]] = weir.completed %[[T]] : !weir.resource
// CHECK:         weir.assign @w, %arg1 after(%[[L]])
module {
  weir.variable @w : tensor<2xf32>
  weir.graph @side(%p: tensor<i1>, %x: tensor<2xf32>) {
    %h = weir.handle @w
    %f, %t, %c = weir.switch %h, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
    %a = weir.assign_resource %t, %x : (!weir.resource, tensor<2xf32>) -> !weir.control
    weir.fetch after(%a)
  }
}

// -----

// Around a loop; a merge of the same handle from both sides.
// CHECK-LABEL: weir.graph @around
// CHECK-NOT:     _resource
// CHECK:         weir.assign_sub @w
module {
  weir.variable @w : tensor<f32>
  weir.graph @around(%x: tensor<f32>) -> tensor<f32> {
    %h = weir.handle @w
    %zero = weir.constant dense<0.0> : tensor<f32>
    %h0, %c0 = weir.enter %h {frame = "f"} : (!weir.resource) -> (!weir.resource, !weir.control)
    %x0, %c1 = weir.enter %x {frame = "f"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %hm, %hi, %c2 = weir.merge %h0, %hn : (!weir.resource, !weir.resource) -> (!weir.resource, tensor<i32>, !weir.control)
    %m, %i, %c3 = weir.merge %x0, %n : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %more = weir.compare %m, %zero {predicate = #weir.compare<gt>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %p, %c4 = weir.loop_cond %more : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %hf, %ht, %c5 = weir.switch %hm, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
    %f, %t, %c6 = weir.switch %m, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %a = weir.assign_sub_resource %ht, %t : (!weir.resource, tensor<f32>) -> !weir.control
    %w, %r = weir.read_resource %ht after(%a) : (!weir.resource) -> (tensor<f32>, !weir.control)
    %n, %c7 = weir.next_iteration %w : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %hn, %c8 = weir.next_iteration %ht : (!weir.resource) -> (!weir.resource, !weir.control)
    %out, %c9 = weir.exit %f : (tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch %out : tensor<f32>
  }
}

// -----

// One of two variables, a variable of another type, and a handle of unknown rank of value stay as they are.
// CHECK-LABEL: weir.graph @unknown
// CHECK:         weir.read_resource
// CHECK:         weir.read_resource
// CHECK:         weir.assign_resource
module {
  weir.variable @w : tensor<2xf32>
  weir.variable @v : tensor<2xf32>
  weir.graph @unknown(%p: tensor<i1>, %x: tensor<*xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
    %w = weir.handle @w
    %v = weir.handle @v
    %f, %t, %c = weir.switch %w, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
    %f1, %t1, %c1 = weir.switch %v, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
    %one, %i, %c2 = weir.merge %f, %t1 : (!weir.resource, !weir.resource) -> (!weir.resource, tensor<i32>, !weir.control)
    %y, %r = weir.read_resource %one : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    %z, %r1 = weir.read_resource %w : (!weir.resource) -> (tensor<3xf32>, !weir.control)
    %a = weir.assign_resource %w, %x : (!weir.resource, tensor<*xf32>) -> !weir.control
    weir.fetch %y, %z after(%a) : tensor<2xf32>, tensor<3xf32>
  }
}
