// Round trip of the nodes of dataflow: queues, barriers, accumulators, variables by handle, stacks, tensor arrays.
//
// RUN: weir-opt %s | weir-opt | FileCheck %s
// RUN: weir-opt %s --mlir-print-op-generic | weir-opt | FileCheck %s
// RUN: weir-opt %s --emit-bytecode | weir-opt | FileCheck %s

// CHECK: weir.queue @q capacity 100 of tensor<f32>
weir.queue @q capacity 100 of tensor<f32>
// CHECK: weir.queue @shuffled capacity 100 of tensor<*xf32> {kind = #weir.queue_kind<random_shuffle>, min_after_dequeue = 10 : i64, seed = 1 : i64, seed2 = 2 : i64}
weir.queue @shuffled capacity 100 of tensor<*xf32> {kind = #weir.queue_kind<random_shuffle>, min_after_dequeue = 10 : i64, seed = 1 : i64, seed2 = 2 : i64}
// CHECK: weir.queue @first capacity -1 of tensor<i64>, tensor<!weir.string> {kind = #weir.queue_kind<priority>}
weir.queue @first capacity -1 of tensor<i64>, tensor<!weir.string> {kind = #weir.queue_kind<priority>}
// CHECK: weir.queue @padded capacity 5 of tensor<?xi32> {kind = #weir.queue_kind<padding_fifo>}
weir.queue @padded capacity 5 of tensor<?xi32> {kind = #weir.queue_kind<padding_fifo>}
// CHECK: weir.barrier @pairs of [tensor<f32>, tensor<2xi32>]
weir.barrier @pairs of [tensor<f32>, tensor<2xi32>]
// CHECK: weir.accumulator @mean : tensor<2xf32>
weir.accumulator @mean : tensor<2xf32>
// CHECK: weir.accumulator @sum : tensor<*xf64> {reduction = #weir.reduction<sum>}
weir.accumulator @sum : tensor<*xf64> {reduction = #weir.reduction<sum>}

// A handle names declared state of any kind.
weir.variable @w : tensor<2xf32>
weir.reader @files {kind = #weir.reader_kind<whole_file>}
// CHECK-LABEL: weir.graph @handles(
weir.graph @handles() {
  // CHECK: weir.handle @w
  %0 = weir.handle @w
  // CHECK: weir.handle @pairs
  %1 = weir.handle @pairs
  // CHECK: weir.handle @sum
  %2 = weir.handle @sum
  // CHECK: weir.handle @files
  %3 = weir.handle @files
  weir.fetch
}

// A node may give up after a time.
// CHECK-LABEL: weir.graph @timeout(
weir.graph @timeout(%x: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.enqueue %{{.+}}, %{{.+}} {timeout_ms = 100 : i64} : (!weir.resource, tensor<f32>) -> !weir.control
  %c = weir.enqueue %h, %x {timeout_ms = 100 : i64} : (!weir.resource, tensor<f32>) -> !weir.control
  weir.fetch after(%c)
}

// Slices of a tensor, and of a variable.
// CHECK-LABEL: weir.graph @scatter(
weir.graph @scatter(%x: tensor<4x2xf32>, %i: tensor<?xi32>, %v: tensor<?x2xf32>, %s: tensor<2xf32>, %z: tensor<f32>) {
  // CHECK: weir.scatter %{{.+}}, %{{.+}}, %{{.+}} {kind = #weir.scatter_kind<add>} : (tensor<4x2xf32>, tensor<?xi32>, tensor<?x2xf32>) -> tensor<4x2xf32>
  %y = weir.scatter %x, %i, %v {kind = #weir.scatter_kind<add>} : (tensor<4x2xf32>, tensor<?xi32>, tensor<?x2xf32>) -> tensor<4x2xf32>
  // CHECK: weir.assign_scatter @w, %{{.+}}, %{{.+}} {kind = #weir.scatter_kind<assign>} : tensor<?xi32>, tensor<f32>
  %c = weir.assign_scatter @w, %i, %z {kind = #weir.scatter_kind<assign>} : tensor<?xi32>, tensor<f32>
  weir.fetch after(%c)
}

// CHECK-LABEL: weir.graph @n1_enqueue(
weir.graph @n1_enqueue(%x: tensor<f32>) {
  %q = weir.handle @q
  // CHECK: weir.enqueue %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<f32>) -> !weir.control
  %c = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n2_enqueue_many(
weir.graph @n2_enqueue_many(%x: tensor<8xf32>) {
  %q = weir.handle @q
  // CHECK: weir.enqueue_many %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<8xf32>) -> !weir.control
  %c = weir.enqueue_many %q, %x : (!weir.resource, tensor<8xf32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n3_dequeue(
weir.graph @n3_dequeue() {
  %q = weir.handle @q
  // CHECK: weir.dequeue %{{[^ ,:]+}} : (!weir.resource) -> (tensor<f32>, !weir.control)
  %x, %c = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n4_dequeue_many(
weir.graph @n4_dequeue_many(%n: tensor<i32>) {
  %q = weir.handle @q
  // CHECK: weir.dequeue_many %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
  %x, %c = weir.dequeue_many %q, %n : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n5_dequeue_up_to(
weir.graph @n5_dequeue_up_to(%n: tensor<i32>) {
  %q = weir.handle @q
  // CHECK: weir.dequeue_up_to %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
  %x, %c = weir.dequeue_up_to %q, %n : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n6_queue_size(
weir.graph @n6_queue_size() {
  %q = weir.handle @q
  // CHECK: weir.queue_size %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i32>, !weir.control)
  %n, %c = weir.queue_size %q : (!weir.resource) -> (tensor<i32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n7_queue_close(
weir.graph @n7_queue_close() {
  %q = weir.handle @q
  // CHECK: weir.queue_close %{{[^ ,:]+}} : (!weir.resource) -> !weir.control
  %c = weir.queue_close %q : (!weir.resource) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n8_queue_is_closed(
weir.graph @n8_queue_is_closed() {
  %q = weir.handle @q
  // CHECK: weir.queue_is_closed %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i1>, !weir.control)
  %b, %c = weir.queue_is_closed %q : (!weir.resource) -> (tensor<i1>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n9_barrier_insert_many(
weir.graph @n9_barrier_insert_many(%k: tensor<2x!weir.string>, %v: tensor<2xf32>) {
  %b = weir.handle @q
  // CHECK: weir.barrier_insert_many %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} {component = 0 : i64} : (!weir.resource, tensor<2x!weir.string>, tensor<2xf32>) -> !weir.control
  %c = weir.barrier_insert_many %b, %k, %v {component = 0 : i64} : (!weir.resource, tensor<2x!weir.string>, tensor<2xf32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n10_barrier_take_many(
weir.graph @n10_barrier_take_many(%n: tensor<i32>) {
  %b = weir.handle @q
  // CHECK: weir.barrier_take_many %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i32>) -> (tensor<?xi64>, tensor<?x!weir.string>, tensor<?xf32>, !weir.control)
  %i, %k, %v, %c = weir.barrier_take_many %b, %n : (!weir.resource, tensor<i32>) -> (tensor<?xi64>, tensor<?x!weir.string>, tensor<?xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n11_barrier_close(
weir.graph @n11_barrier_close() {
  %b = weir.handle @q
  // CHECK: weir.barrier_close %{{[^ ,:]+}} : (!weir.resource) -> !weir.control
  %c = weir.barrier_close %b : (!weir.resource) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n12_barrier_ready_size(
weir.graph @n12_barrier_ready_size() {
  %b = weir.handle @q
  // CHECK: weir.barrier_ready_size %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i32>, !weir.control)
  %n, %c = weir.barrier_ready_size %b : (!weir.resource) -> (tensor<i32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n13_barrier_incomplete_size(
weir.graph @n13_barrier_incomplete_size() {
  %b = weir.handle @q
  // CHECK: weir.barrier_incomplete_size %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i32>, !weir.control)
  %n, %c = weir.barrier_incomplete_size %b : (!weir.resource) -> (tensor<i32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n14_accumulator_apply(
weir.graph @n14_accumulator_apply(%s: tensor<i64>, %g: tensor<2xf32>) {
  %a = weir.handle @q
  // CHECK: weir.accumulator_apply %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i64>, tensor<2xf32>) -> !weir.control
  %c = weir.accumulator_apply %a, %s, %g : (!weir.resource, tensor<i64>, tensor<2xf32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n15_accumulator_take(
weir.graph @n15_accumulator_take(%n: tensor<i32>) {
  %a = weir.handle @q
  // CHECK: weir.accumulator_take %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i32>) -> (tensor<2xf32>, !weir.control)
  %g, %c = weir.accumulator_take %a, %n : (!weir.resource, tensor<i32>) -> (tensor<2xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n16_accumulator_size(
weir.graph @n16_accumulator_size() {
  %a = weir.handle @q
  // CHECK: weir.accumulator_size %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i32>, !weir.control)
  %n, %c = weir.accumulator_size %a : (!weir.resource) -> (tensor<i32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n17_accumulator_set_step(
weir.graph @n17_accumulator_set_step(%s: tensor<i64>) {
  %a = weir.handle @q
  // CHECK: weir.accumulator_set_step %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i64>) -> !weir.control
  %c = weir.accumulator_set_step %a, %s : (!weir.resource, tensor<i64>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n18_read_resource(
weir.graph @n18_read_resource() {
  %h = weir.handle @q
  // CHECK: weir.read_resource %{{[^ ,:]+}} : (!weir.resource) -> (tensor<2xf32>, !weir.control)
  %w, %c = weir.read_resource %h : (!weir.resource) -> (tensor<2xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n19_assign_resource(
weir.graph @n19_assign_resource(%v: tensor<2xf32>) {
  %h = weir.handle @q
  // CHECK: weir.assign_resource %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<2xf32>) -> !weir.control
  %c = weir.assign_resource %h, %v : (!weir.resource, tensor<2xf32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n20_assign_add_resource(
weir.graph @n20_assign_add_resource(%v: tensor<2xf32>) {
  %h = weir.handle @q
  // CHECK: weir.assign_add_resource %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<2xf32>) -> !weir.control
  %c = weir.assign_add_resource %h, %v : (!weir.resource, tensor<2xf32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n21_assign_sub_resource(
weir.graph @n21_assign_sub_resource(%v: tensor<2xf32>) {
  %h = weir.handle @q
  // CHECK: weir.assign_sub_resource %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<2xf32>) -> !weir.control
  %c = weir.assign_sub_resource %h, %v : (!weir.resource, tensor<2xf32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n22_is_initialized_resource(
weir.graph @n22_is_initialized_resource() {
  %h = weir.handle @q
  // CHECK: weir.is_initialized_resource %{{[^ ,:]+}} : (!weir.resource) -> (tensor<i1>, !weir.control)
  %b, %c = weir.is_initialized_resource %h : (!weir.resource) -> (tensor<i1>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n23_assign_scatter_resource(
weir.graph @n23_assign_scatter_resource(%i: tensor<3xi32>, %v: tensor<3x2xf32>) {
  %h = weir.handle @q
  // CHECK: weir.assign_scatter_resource %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} {kind = #weir.scatter_kind<add>, type = tensor<9x2xf32>} : (!weir.resource, tensor<3xi32>, tensor<3x2xf32>) -> !weir.control
  %c = weir.assign_scatter_resource %h, %i, %v {kind = #weir.scatter_kind<add>, type = tensor<9x2xf32>} : (!weir.resource, tensor<3xi32>, tensor<3x2xf32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n24_stack(
weir.graph @n24_stack(%n: tensor<i32>) {
  // CHECK: weir.stack %{{[^ ,:]+}} {element = f32} : (tensor<i32>) -> (!weir.resource, !weir.control)
  %h, %c = weir.stack %n {element = f32} : (tensor<i32>) -> (!weir.resource, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n25_stack_push(
weir.graph @n25_stack_push(%x: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.stack_push %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<f32>) -> (tensor<f32>, !weir.control)
  %y, %c = weir.stack_push %h, %x : (!weir.resource, tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n26_stack_pop(
weir.graph @n26_stack_pop() {
  %h = weir.handle @q
  // CHECK: weir.stack_pop %{{[^ ,:]+}} : (!weir.resource) -> (tensor<f32>, !weir.control)
  %y, %c = weir.stack_pop %h : (!weir.resource) -> (tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n27_stack_close(
weir.graph @n27_stack_close() {
  %h = weir.handle @q
  // CHECK: weir.stack_close %{{[^ ,:]+}} : (!weir.resource) -> !weir.control
  %c = weir.stack_close %h : (!weir.resource) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n28_tensor_array(
weir.graph @n28_tensor_array(%n: tensor<i32>) {
  // CHECK: weir.tensor_array %{{[^ ,:]+}} {clear_after_read, element = tensor<2xf32>} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
  %h, %f, %c = weir.tensor_array %n {element = tensor<2xf32>, clear_after_read} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n29_tensor_array_gradient(
weir.graph @n29_tensor_array_gradient(%f0: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_gradient %{{[^ ,:]+}}, %{{[^ ,:]+}} {source = "loss"} : (!weir.resource, tensor<f32>) -> (!weir.resource, tensor<f32>, !weir.control)
  %g, %f, %c = weir.tensor_array_gradient %h, %f0 {source = "loss"} : (!weir.resource, tensor<f32>) -> (!weir.resource, tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n30_tensor_array_write(
weir.graph @n30_tensor_array_write(%i: tensor<i32>, %v: tensor<2xf32>, %f0: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_write %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
  %f, %c = weir.tensor_array_write %h, %i, %v, %f0 : (!weir.resource, tensor<i32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n31_tensor_array_read(
weir.graph @n31_tensor_array_read(%i: tensor<i32>, %f: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_read %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<2xf32>, !weir.control)
  %v, %c = weir.tensor_array_read %h, %i, %f : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<2xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n32_tensor_array_gather(
weir.graph @n32_tensor_array_gather(%i: tensor<3xi32>, %f: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_gather %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<3xi32>, tensor<f32>) -> (tensor<3x2xf32>, !weir.control)
  %v, %c = weir.tensor_array_gather %h, %i, %f : (!weir.resource, tensor<3xi32>, tensor<f32>) -> (tensor<3x2xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n33_tensor_array_scatter(
weir.graph @n33_tensor_array_scatter(%i: tensor<3xi32>, %v: tensor<3x2xf32>, %f0: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_scatter %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<3xi32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
  %f, %c = weir.tensor_array_scatter %h, %i, %v, %f0 : (!weir.resource, tensor<3xi32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n34_tensor_array_concat(
weir.graph @n34_tensor_array_concat(%f: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_concat %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<f32>) -> (tensor<?x2xf32>, tensor<?xi64>, !weir.control)
  %v, %l, %c = weir.tensor_array_concat %h, %f : (!weir.resource, tensor<f32>) -> (tensor<?x2xf32>, tensor<?xi64>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n35_tensor_array_split(
weir.graph @n35_tensor_array_split(%v: tensor<?x2xf32>, %l: tensor<3xi64>, %f0: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_split %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<?x2xf32>, tensor<3xi64>, tensor<f32>) -> (tensor<f32>, !weir.control)
  %f, %c = weir.tensor_array_split %h, %v, %l, %f0 : (!weir.resource, tensor<?x2xf32>, tensor<3xi64>, tensor<f32>) -> (tensor<f32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n36_tensor_array_size(
weir.graph @n36_tensor_array_size(%f: tensor<f32>) {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_size %{{[^ ,:]+}}, %{{[^ ,:]+}} : (!weir.resource, tensor<f32>) -> (tensor<i32>, !weir.control)
  %n, %c = weir.tensor_array_size %h, %f : (!weir.resource, tensor<f32>) -> (tensor<i32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n37_tensor_array_close(
weir.graph @n37_tensor_array_close() {
  %h = weir.handle @q
  // CHECK: weir.tensor_array_close %{{[^ ,:]+}} : (!weir.resource) -> !weir.control
  %c = weir.tensor_array_close %h : (!weir.resource) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n38_ensure_shape(
weir.graph @n38_ensure_shape(%x: tensor<*xf32>) {
  // CHECK: weir.ensure_shape %{{[^ ,:]+}} : (tensor<*xf32>) -> (tensor<?x2xf32>, !weir.control)
  %y, %c = weir.ensure_shape %x : (tensor<*xf32>) -> (tensor<?x2xf32>, !weir.control)
  weir.fetch
}
// CHECK-LABEL: weir.graph @n39_assert(
weir.graph @n39_assert(%ok: tensor<i1>, %x: tensor<f32>) {
  // CHECK: weir.assert %{{[^ ,:]+}}, %{{[^ ,:]+}} {message = "x is negative"} : (tensor<i1>, tensor<f32>) -> !weir.control
  %c = weir.assert %ok, %x {message = "x is negative"} : (tensor<i1>, tensor<f32>) -> !weir.control
  weir.fetch
}
// CHECK-LABEL: weir.graph @n40_foreign(
weir.graph @n40_foreign(%x: tensor<2x2xf32>) {
  // CHECK: weir.foreign %{{[^ ,:]+}} {op = "FFT2D", reason = "there is no such op"} : (tensor<2x2xf32>) -> (tensor<*xf32>, !weir.control)
  %y, %c = weir.foreign %x {op = "FFT2D", reason = "there is no such op"} : (tensor<2x2xf32>) -> (tensor<*xf32>, !weir.control)
  weir.fetch
}
