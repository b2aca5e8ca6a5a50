// A graph with nodes that wait, or that run by what is live, becomes a table of
// nodes; what its nodes compute becomes kernels, graphs of their own.
//
// RUN: weir-opt %s --weir-schedule-build-dataflow --split-input-file | FileCheck %s

// A queue: handles and constants are immediates, calls have the numbers of
// their node, and control edges name what is waited for.
// CHECK-LABEL: rt.dataflow @queue
// CHECK-SAME: feeds [{name = "x", type = tensor<f32>}]
// CHECK-SAME: fetches [{name = "n", type = tensor<i32>}] frames []
// CHECK-DAG: %[[Q:.+]] = rt.immediate(@q) : <!weir.resource>
// CHECK-DAG: %[[K:.+]] = rt.immediate(dense<7> : tensor<i32>) : <tensor<i32>>
// CHECK: %[[X:.+]], %{{.+}} = rt.node feed "feed 'x'"() {index = 0 : i64} : () -> !rt.edge<tensor<f32>>
// CHECK: %[[E:.+]] = rt.node call "'put' at {{.*}}"(%[[Q]], %[[X]], %[[K]]) {call = "weir_node_enqueue", numbers = array<i64: 100>}
// CHECK: %[[N:.+]], %{{.+}} = rt.node call "'weir.queue_size' at {{.*}}"(%[[Q]]) after(%[[E]] : !rt.done) {call = "weir_node_queue_size"}
// CHECK: rt.node fetch "fetch 'n'"(%[[N]]) {index = 0 : i64}
weir.queue @q capacity 10 of tensor<f32>, tensor<i32>
weir.graph @queue(%x: tensor<f32> {weir.name = "x"}) -> (tensor<i32> {weir.name = "n"}) {
  %q = weir.handle @q
  %k = weir.constant dense<7> : tensor<i32>
  %e = weir.enqueue %q, %x, %k {timeout_ms = 100 : i64, weir.name = "put"} : (!weir.resource, tensor<f32>, tensor<i32>) -> !weir.control
  %n, %c = weir.queue_size %q after(%e) : (!weir.resource) -> (tensor<i32>, !weir.control)
  weir.fetch %n : tensor<i32>
}

// -----

// A conditional: each group is a kernel, a side that is waited for is an edge
// of that output. What no fetch needs is not in the table.
// CHECK-LABEL: rt.dataflow @cond
// CHECK: %[[S:.+]]:2, %{{.+}} = rt.node switch
// CHECK: %[[Y:.+]], %{{.+}} = rt.node kernel "'exp' at {{.*}}"(%[[S]]#0) {kernel = @cond.kernel_0}
// CHECK: %[[Z:.+]], %{{.+}} = rt.node identity "'weir.identity' at {{.*}}"(%{{.+}}) after(%[[S]]#1 : !rt.edge<tensor<f32>>)
// CHECK: %[[M:.+]]:2, %{{.+}} = rt.node merge "'weir.merge' at {{.*}}"(%[[Y]], %[[Z]])
// CHECK-NOT: weir_node_queue_size
// CHECK: rt.node fetch "fetch 'result0'"(%[[M]]#0)
// CHECK-LABEL: weir.graph @cond.kernel_0(%{{.+}}: tensor<f32>) -> tensor<f32> {
// CHECK: %[[R:.+]] = weir.group "exp" -> tensor<f32>
// CHECK: weir.fetch %[[R]] : tensor<f32>
weir.queue @q capacity 10 of tensor<f32>
weir.graph @cond(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %q = weir.handle @q
  %unused, %u = weir.queue_size %q : (!weir.resource) -> (tensor<i32>, !weir.control)
  %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %y = weir.group "exp" -> tensor<f32> {
    %e = weir.exp %f : (tensor<f32>) -> tensor<f32>
    weir.yield %e : tensor<f32>
  }
  %on = weir.completed %t : tensor<f32>
  %one = weir.constant dense<1.0> : tensor<f32>
  %z = weir.identity %one after(%on) : (tensor<f32>) -> tensor<f32>
  %m, %i, %d = weir.merge %y, %z : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %m : tensor<f32>
}

// -----

// A loop: its frame with the smallest bound, and a merge that takes what the
// next iteration brings.
// CHECK-LABEL: rt.dataflow @loop
// CHECK-SAME: frames [{name = "f", parallel_iterations = 4 : i64, parent = 0 : i64}]
// CHECK: %[[I:.+]], %{{.+}} = rt.node enter "{{.*}}"(%{{.+}}) {index = 1 : i64, numbers = array<i64: 0>}
// CHECK: %[[N:.+]], %{{.+}} = rt.node enter "{{.*}}"(%{{.+}}) {index = 1 : i64, numbers = array<i64: 1>}
// CHECK: %[[M:.+]]:2, %{{.+}} = rt.node merge "{{.*}}"(%[[I]], %[[NEXT:.+]]) {frame = 1 : i64}
// CHECK: %[[P:.+]], %{{.+}} = rt.node identity "'weir.loop_cond' at {{.*}}"
// CHECK: %[[S:.+]]:2, %{{.+}} = rt.node switch "{{.*}}"(%[[M]]#0, %[[P]]) {frame = 1 : i64}
// CHECK: %[[NEXT]], %{{.+}} = rt.node next_iteration
// CHECK: %[[OUT:.+]], %{{.+}} = rt.node exit "{{.*}}"(%[[S]]#0) {frame = 1 : i64}
// CHECK: rt.node fetch "fetch 'result0'"(%[[OUT]])
weir.graph @loop(%n: tensor<i32>) -> tensor<i32> {
  %zero = weir.constant dense<0> : tensor<i32>
  %one = weir.constant dense<1> : tensor<i32>
  %i0, %c0 = weir.enter %zero {frame = "f", parallel_iterations = 4 : i64} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %n0, %c1 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %m, %ix, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %less = weir.compare %m, %n0 {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p, %c3 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
  %f, %t, %c4 = weir.switch %m, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
  %inc = weir.add %t, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %next, %c5 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
  %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
  weir.fetch %out : tensor<i32>
}

// -----

// Updates of variables are calls with a kernel of the old value; by handle, the
// numbers say what the kernel takes for it.
// CHECK-LABEL: rt.dataflow @update
// CHECK: %[[A:.+]] = rt.node call "{{.*}}"(%{{.+}}) {call = "weir_node_update", kernel = @update.kernel_0, symbol = @w}
// CHECK: %[[B:.+]] = rt.node call "{{.*}}"(%{{.+}}, %{{.+}}) after(%[[A]] : !rt.done) {call = "weir_node_update_resource", kernel = @update.kernel_1, numbers = array<i64: 1, 1, 2>}
// CHECK: rt.node call "{{.*}}"() after(%[[B]] : !rt.done) {call = "weir_node_read", symbol = @w}
// CHECK-LABEL: weir.graph @update.kernel_0(%{{.+}}: tensor<2xf32>, %{{.+}}: tensor<2xf32>) -> tensor<2xf32> {
// CHECK: weir.add
// CHECK-LABEL: weir.graph @update.kernel_1
// CHECK: weir.sub
weir.variable @w : tensor<2xf32>
weir.graph @update(%x: tensor<2xf32>) -> tensor<2xf32> {
  %h = weir.handle @w
  %a = weir.assign_add @w, %x : tensor<2xf32>
  %b = weir.assign_sub_resource %h, %x after(%a) : (!weir.resource, tensor<2xf32>) -> !weir.control
  %w, %c = weir.read @w after(%b) : tensor<2xf32>
  weir.fetch %w : tensor<2xf32>
}

// -----

// Joins that are no more than their edges have no node; equal kernels that
// cannot fail are one.
// CHECK-LABEL: rt.dataflow @joins
// CHECK: %[[A:.+]], %{{.+}} = rt.node kernel "{{.*}}"(%{{.+}}) {kernel = @joins.kernel_0}
// CHECK: %[[B:.+]], %{{.+}} = rt.node kernel "{{.*}}"(%{{.+}}) {kernel = @joins.kernel_0}
// CHECK-NOT: no_op
// CHECK: rt.node call "{{.*}}"() after(%[[B]], %[[A]] : !rt.edge<tensor<f32>>, !rt.edge<tensor<f32>>)
// CHECK-LABEL: weir.graph @joins.kernel_0
// CHECK-NOT: weir.graph @joins.kernel_1
weir.variable @w : tensor<f32>
weir.graph @joins(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %h = weir.handle @w
  %a = weir.group "neg" -> tensor<f32> {
    %e = weir.neg %x : (tensor<f32>) -> tensor<f32>
    weir.yield %e : tensor<f32>
  }
  %b = weir.group "neg_2" -> tensor<f32> {
    %e = weir.neg %y : (tensor<f32>) -> tensor<f32>
    weir.yield %e : tensor<f32>
  }
  %ca = weir.completed %a : tensor<f32>
  %cb = weir.completed %b : tensor<f32>
  %both = weir.no_op after(%ca, %cb)
  %w, %c = weir.read @w after(%both) : tensor<f32>
  %v, %d = weir.read_resource %h : (!weir.resource) -> (tensor<f32>, !weir.control)
  weir.fetch %w after(%d) : tensor<f32>
}

// -----

// Without such nodes a graph is left for the straight line.
// CHECK-LABEL: weir.graph @straight
// CHECK-NOT: rt.dataflow
weir.graph @straight(%x: tensor<f32>) -> tensor<f32> {
  %y = weir.neg %x : (tensor<f32>) -> tensor<f32>
  weir.fetch %y : tensor<f32>
}

// -----

// The module can ask for tables, with every node in them.
// CHECK-LABEL: rt.dataflow @forced
// CHECK: %[[A:.+]] = rt.node no_op
// CHECK: rt.node no_op "{{.*}}"() after(%[[A]] : !rt.done)
module attributes {rt.executor = "tasks"} {
  weir.graph @forced() {
    %a = weir.no_op
    %b = weir.no_op after(%a)
    weir.fetch after(%b)
  }
}

// -----

// Compiled code has no strings: a graph that gives one out is a table, one that
// only takes the path of a checkpoint is none.
// CHECK-LABEL: rt.dataflow @gives_string
// CHECK-LABEL: weir.graph @takes_path
weir.graph @gives_string(%s: tensor<!weir.string>) -> tensor<!weir.string> {
  weir.fetch %s : tensor<!weir.string>
}
weir.graph @takes_path(%s: tensor<!weir.string>, %x: tensor<f32>) {
  %c = weir.save %s, %x names ["x"] : tensor<!weir.string>, tensor<f32>
  weir.fetch after(%c)
}

// -----

// What one device runs: sends and receives have the texts of their key, and the
// table and its kernels know the device.
// CHECK-LABEL: rt.dataflow @train.0
// CHECK-SAME: rt.device = "/job:localhost/replica:0/task:0/device:CPU:0"
// CHECK: %[[R:.+]], %{{.+}} = rt.node receive "'weir.receive' at {{.*}}"() {texts = ["r:0", "/job:localhost/replica:0/task:0/device:CPU:1", "/job:localhost/replica:0/task:0/device:CPU:0"]}
// CHECK: %[[K:.+]], %{{.+}} = rt.node kernel "{{.+}}"(%[[R]])
// CHECK: rt.node send "'weir.send' at {{.*}}"(%[[K]]) {texts = ["s:0", "/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"]}
// CHECK: weir.graph @train.0.kernel_0
// CHECK-SAME: rt.device = "/job:localhost/replica:0/task:0/device:CPU:0"
weir.graph @train.0() attributes {rt.device = "/job:localhost/replica:0/task:0/device:CPU:0"} {
  %r, %c = weir.receive {tensor = "r:0", source = "/job:localhost/replica:0/task:0/device:CPU:1", destination = "/job:localhost/replica:0/task:0/device:CPU:0"} : () -> (tensor<4xf32>, !weir.control)
  %e = weir.exp %r : (tensor<4xf32>) -> tensor<4xf32>
  %s = weir.send %e {tensor = "s:0", source = "/job:localhost/replica:0/task:0/device:CPU:0", destination = "/job:localhost/replica:0/task:0/device:CPU:1"} : (tensor<4xf32>) -> !weir.control
  weir.fetch after(%s)
}

// -----

// On a GPU an entry is a table, whatever is in it: the host runs that, and the
// device its kernels.
// CHECK: rt.dataflow @pure.1
// CHECK: rt.node kernel
weir.graph @pure.1(%x: tensor<4xf32>) -> tensor<4xf32> attributes {rt.device = "/job:localhost/replica:0/task:0/device:GPU:0"} {
  %e = weir.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  weir.fetch %e : tensor<4xf32>
}
