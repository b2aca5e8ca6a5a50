// Round trip of computed shapes, values of data-dependent extents, strings that move, lists of tensors.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

// A variable may hold strings, or values of any shape.
// CHECK: weir.variable @s : tensor<2x!weir.string>
weir.variable @s : tensor<2x!weir.string>
// CHECK: weir.variable @any : tensor<*xf32>
weir.variable @any : tensor<*xf32>

// CHECK-LABEL: weir.graph @f(
weir.graph @f(%x: tensor<?x4xf32>, %u: tensor<*xf32>, %v: tensor<?xf32>, %i: tensor<i32>, %n: tensor<?xi32>, %p: tensor<?x2xi32>,
              %s: tensor<2xi64>, %t: tensor<?xi64>, %w: tensor<?x!weir.string>, %b: tensor<i1>) {
  %h = weir.handle @s
  %a = weir.no_op
  // CHECK: weir.range %{{.+}}, %{{.+}}, %{{.+}} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %a0_0 = weir.range %i, %i, %i : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  // CHECK: weir.dynamic_reshape %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %a1_0 = weir.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: weir.dynamic_broadcast %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %a2_0 = weir.dynamic_broadcast %x, %s : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  // CHECK: weir.dynamic_slice %{{.+}}, %{{.+}}, %{{.+}} {strides = array<i64: 1, 2>} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %a3_0 = weir.dynamic_slice %x, %s, %s {strides = array<i64: 1, 2>} : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: weir.dynamic_update_slice %{{.+}}, %{{.+}}, %{{.+}} {strides = array<i64: 1, 1>} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %a4_0 = weir.dynamic_update_slice %x, %x, %s {strides = array<i64: 1, 1>} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  // CHECK: weir.gather_nd %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<?x2xi32>) -> tensor<?xf32>
  %a5_0 = weir.gather_nd %x, %p : (tensor<?x4xf32>, tensor<?x2xi32>) -> tensor<?xf32>
  // CHECK: weir.scatter_nd %{{.+}}, %{{.+}}, %{{.+}} {kind = #weir.scatter_kind<max>} : (tensor<?x4xf32>, tensor<?x2xi32>, tensor<?xf32>) -> tensor<?x4xf32>
  %a6_0 = weir.scatter_nd %x, %p, %v {kind = #weir.scatter_kind<max>} : (tensor<?x4xf32>, tensor<?x2xi32>, tensor<?xf32>) -> tensor<?x4xf32>
  // CHECK: weir.cumulative_sum %{{.+}} {axis = 1 : i64, exclusive, reverse} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %a7_0 = weir.cumulative_sum %x {axis = 1 : i64, exclusive, reverse} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.cumulative_prod %{{.+}} {axis = 0 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %a8_0 = weir.cumulative_prod %x {axis = 0 : i64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: weir.top_k %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>, !weir.control)
  %a9_0, %a9_1, %a9_2 = weir.top_k %x, %i : (tensor<?x4xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>, !weir.control)
  // CHECK: weir.dynamic_partition %{{.+}}, %{{.+}} : (tensor<?xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?xf32>, !weir.control)
  %a10_0, %a10_1, %a10_2 = weir.dynamic_partition %v, %n : (tensor<?xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?xf32>, !weir.control)
  // CHECK: weir.unique %{{.+}} : (tensor<?x!weir.string>) -> (tensor<?x!weir.string>, tensor<?xi32>, tensor<?xi64>, !weir.control)
  %a11_0, %a11_1, %a11_2, %a11_3 = weir.unique %w : (tensor<?x!weir.string>) -> (tensor<?x!weir.string>, tensor<?xi32>, tensor<?xi64>, !weir.control)
  // CHECK: weir.list_difference %{{.+}}, %{{.+}} : (tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, !weir.control)
  %a12_0, %a12_1, %a12_2 = weir.list_difference %n, %n : (tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, !weir.control)
  // CHECK: weir.nonzero %{{.+}} : (tensor<?x4xf32>) -> (tensor<?x2xi64>, !weir.control)
  %a13_0, %a13_1 = weir.nonzero %x : (tensor<?x4xf32>) -> (tensor<?x2xi64>, !weir.control)
  // CHECK: weir.select_n %{{.+}}, %{{.+}}, %{{.+}} after(%{{.+}}) : (tensor<i32>, tensor<?x4xf32>, tensor<*xf32>) -> (tensor<*xf32>, !weir.control)
  %a14_0, %a14_1 = weir.select_n %i, %x, %u after(%a) : (tensor<i32>, tensor<?x4xf32>, tensor<*xf32>) -> (tensor<*xf32>, !weir.control)
  // CHECK: weir.take_strings %{{.+}}, %{{.+}}, %{{.+}} : (tensor<?xi64>, tensor<?x!weir.string>, tensor<?x!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
  %a15_0, %a15_1 = weir.take_strings %t, %w, %w : (tensor<?xi64>, tensor<?x!weir.string>, tensor<?x!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
  // CHECK: weir.compare_strings %{{.+}}, %{{.+}} {predicate = #weir.compare<lt>} : (tensor<?x!weir.string>, tensor<?x!weir.string>) -> (tensor<?xi1>, !weir.control)
  %a16_0, %a16_1 = weir.compare_strings %w, %w {predicate = #weir.compare<lt>} : (tensor<?x!weir.string>, tensor<?x!weir.string>) -> (tensor<?xi1>, !weir.control)
  // CHECK: weir.temporary_variable {type = tensor<2xf32>} : () -> (!weir.resource, !weir.control)
  %a17_0, %a17_1 = weir.temporary_variable {type = tensor<2xf32>} : () -> (!weir.resource, !weir.control)
  // CHECK: weir.temporary_variable {type = tensor<*x!weir.string>} : () -> (!weir.resource, !weir.control)
  %a18_0, %a18_1 = weir.temporary_variable {type = tensor<*x!weir.string>} : () -> (!weir.resource, !weir.control)
  // CHECK: weir.variable_destroy %{{.+}} : (!weir.resource) -> !weir.control
  %a19_0 = weir.variable_destroy %h : (!weir.resource) -> !weir.control
  // CHECK: weir.queue_clear %{{.+}} : (!weir.resource) -> !weir.control
  %a20_0 = weir.queue_clear %h : (!weir.resource) -> !weir.control
  // CHECK: weir.assert %{{.+}} {message = "no more", out_of_range} : (tensor<i1>) -> !weir.control
  %a21_0 = weir.assert %b {message = "no more", out_of_range} : (tensor<i1>) -> !weir.control
  // CHECK: weir.tensor_list %{{.+}} {element = tensor<?x8xf32>} : (tensor<i32>) -> (!weir.resource, !weir.control)
  %a22_0, %a22_1 = weir.tensor_list %i {element = tensor<?x8xf32>} : (tensor<i32>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list %{{.+}} {element = !weir.resource} : (tensor<i32>) -> (!weir.resource, !weir.control)
  %a23_0, %a23_1 = weir.tensor_list %i {element = !weir.resource} : (tensor<i32>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_push %{{.+}}, %{{.+}} : (!weir.resource, tensor<?x4xf32>) -> (!weir.resource, !weir.control)
  %a24_0, %a24_1 = weir.tensor_list_push %h, %x : (!weir.resource, tensor<?x4xf32>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_pop %{{.+}} : (!weir.resource) -> (!weir.resource, tensor<*xf32>, !weir.control)
  %a25_0, %a25_1, %a25_2 = weir.tensor_list_pop %h : (!weir.resource) -> (!weir.resource, tensor<*xf32>, !weir.control)
  // CHECK: weir.tensor_list_get %{{.+}}, %{{.+}} : (!weir.resource, tensor<i32>) -> (!weir.resource, !weir.control)
  %a26_0, %a26_1 = weir.tensor_list_get %h, %i : (!weir.resource, tensor<i32>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_set %{{.+}}, %{{.+}}, %{{.+}} {grow} : (!weir.resource, tensor<i32>, !weir.resource) -> (!weir.resource, !weir.control)
  %a27_0, %a27_1 = weir.tensor_list_set %h, %i, %h {grow} : (!weir.resource, tensor<i32>, !weir.resource) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_stack %{{.+}} : (!weir.resource) -> (tensor<?x4xf32>, !weir.control)
  %a28_0, %a28_1 = weir.tensor_list_stack %h : (!weir.resource) -> (tensor<?x4xf32>, !weir.control)
  // CHECK: weir.tensor_list_gather %{{.+}}, %{{.+}} : (!weir.resource, tensor<?xi32>) -> (tensor<?x4xf32>, !weir.control)
  %a29_0, %a29_1 = weir.tensor_list_gather %h, %n : (!weir.resource, tensor<?xi32>) -> (tensor<?x4xf32>, !weir.control)
  // CHECK: weir.tensor_list_from_tensor %{{.+}} : (tensor<?x4xf32>) -> (!weir.resource, !weir.control)
  %a30_0, %a30_1 = weir.tensor_list_from_tensor %x : (tensor<?x4xf32>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_scatter %{{.+}}, %{{.+}}, %{{.+}} : (!weir.resource, tensor<?xi32>, tensor<?x4xf32>) -> (!weir.resource, !weir.control)
  %a31_0, %a31_1 = weir.tensor_list_scatter %h, %n, %x : (!weir.resource, tensor<?xi32>, tensor<?x4xf32>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_concat %{{.+}} : (!weir.resource) -> (tensor<?x4xf32>, tensor<?xi64>, !weir.control)
  %a32_0, %a32_1, %a32_2 = weir.tensor_list_concat %h : (!weir.resource) -> (tensor<?x4xf32>, tensor<?xi64>, !weir.control)
  // CHECK: weir.tensor_list_split %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<?xi64>) -> (!weir.resource, !weir.control)
  %a33_0, %a33_1 = weir.tensor_list_split %x, %t : (tensor<?x4xf32>, tensor<?xi64>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_size %{{.+}} : (!weir.resource) -> (tensor<i32>, !weir.control)
  %a34_0, %a34_1 = weir.tensor_list_size %h : (!weir.resource) -> (tensor<i32>, !weir.control)
  // CHECK: weir.tensor_list_resize %{{.+}}, %{{.+}} : (!weir.resource, tensor<i32>) -> (!weir.resource, !weir.control)
  %a35_0, %a35_1 = weir.tensor_list_resize %h, %i : (!weir.resource, tensor<i32>) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_element_shape %{{.+}} : (!weir.resource) -> (tensor<?xi32>, !weir.control)
  %a36_0, %a36_1 = weir.tensor_list_element_shape %h : (!weir.resource) -> (tensor<?xi32>, !weir.control)
  // CHECK: weir.tensor_list_add %{{.+}}, %{{.+}} : (!weir.resource, !weir.resource) -> (!weir.resource, !weir.control)
  %a37_0, %a37_1 = weir.tensor_list_add %h, %h : (!weir.resource, !weir.resource) -> (!weir.resource, !weir.control)
  // CHECK: weir.tensor_list_zeros %{{.+}} : (!weir.resource) -> (!weir.resource, !weir.control)
  %a38_0, %a38_1 = weir.tensor_list_zeros %h : (!weir.resource) -> (!weir.resource, !weir.control)
  // CHECK: weir.optional_from_values %{{.+}}, %{{.+}} : (tensor<?x4xf32>, !weir.resource) -> (!weir.resource, !weir.control)
  %a39_0, %a39_1 = weir.optional_from_values %x, %h : (tensor<?x4xf32>, !weir.resource) -> (!weir.resource, !weir.control)
  // CHECK: weir.optional_none : () -> (!weir.resource, !weir.control)
  %a40_0, %a40_1 = weir.optional_none : () -> (!weir.resource, !weir.control)
  // CHECK: weir.optional_has_values %{{.+}} : (!weir.resource) -> (tensor<i1>, !weir.control)
  %a41_0, %a41_1 = weir.optional_has_values %h : (!weir.resource) -> (tensor<i1>, !weir.control)
  // CHECK: weir.optional_get_values %{{.+}} : (!weir.resource) -> (tensor<?x4xf32>, !weir.resource, !weir.control)
  %a42_0, %a42_1, %a42_2 = weir.optional_get_values %h : (!weir.resource) -> (tensor<?x4xf32>, !weir.resource, !weir.control)
  weir.fetch
}
