// RUN: weir-run %s --interpret --entry=fill --entry=order | FileCheck %s --check-prefix=ORDER
// RUN: weir-run %s --interpret --entry=batch | FileCheck %s --check-prefix=BATCH
// RUN: weir-run %s --interpret --entry=help | FileCheck %s --check-prefix=HELP
// RUN: weir-run %s --interpret --entry=rest | FileCheck %s --check-prefix=REST
// RUN: weir-run %s --interpret --entry=pad | FileCheck %s --check-prefix=PAD
// RUN: weir-run %s --interpret --entry=priority | FileCheck %s --check-prefix=PRIORITY
// RUN: weir-run %s --interpret --entry=shuffle | FileCheck %s --check-prefix=SHUFFLE
// RUN: weir-run %s --interpret --entry=chosen --feed p=true | FileCheck %s --check-prefix=CHOSEN
// RUN: not weir-run %s --interpret --entry=end 2>&1 | FileCheck %s --check-prefix=END
// RUN: not weir-run %s --interpret --entry=closed 2>&1 | FileCheck %s --check-prefix=CLOSED
// RUN: not weir-run %s --interpret --entry=stall 2>&1 | FileCheck %s --check-prefix=STALL
// RUN: not weir-run %s --interpret --entry=late 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not weir-run %s --interpret --entry=type 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not weir-run %s --interpret --entry=kind 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not weir-run %s --interpret --entry=vector --feed n=[1,2] 2>&1 | FileCheck %s --check-prefix=VECTOR
// Queues in steps; docs/spec/queues.md has their rules, and the runtime's own tests all cases.
// REQUIRES: weir-run

module {
  weir.variable @w : tensor<i32>
  weir.queue @q capacity 3 of tensor<i32>, tensor<*xf32>
  weir.queue @small capacity 1 of tensor<i32>
  weir.queue @padded capacity 9 of tensor<?xi32> {kind = #weir.queue_kind<padding_fifo>}
  weir.queue @urgent capacity 9 of tensor<i64>, tensor<!weir.string> {kind = #weir.queue_kind<priority>}
  weir.queue @mixed capacity 9 of tensor<i32> {kind = #weir.queue_kind<random_shuffle>, min_after_dequeue = 2 : i64, seed = 1 : i64, seed2 = 2 : i64}

  // What one step enqueues another one dequeues, in order of arrival; components without a shape may differ in it.
  weir.graph @fill() {
    %q = weir.handle @q
    %one = weir.constant dense<1> : tensor<i32>
    %two = weir.constant dense<2> : tensor<i32>
    %x = weir.constant dense<[1.5, 2.5]> : tensor<2xf32>
    %y = weir.constant dense<3.5> : tensor<f32>
    %c1 = weir.enqueue %q, %one, %x : (!weir.resource, tensor<i32>, tensor<2xf32>) -> !weir.control
    %c2 = weir.enqueue %q, %two, %y after(%c1) : (!weir.resource, tensor<i32>, tensor<f32>) -> !weir.control
    weir.fetch after(%c2)
  }
  // ORDER: n = 1
  // ORDER: x = [1.5, 2.5]
  // ORDER: m = 2
  // ORDER: y = 3.5
  // ORDER: size = 0
  // ORDER: closed = false
  weir.graph @order() -> (tensor<i32> {weir.name = "n"}, tensor<*xf32> {weir.name = "x"}, tensor<i32> {weir.name = "m"},
                          tensor<f32> {weir.name = "y"}, tensor<i32> {weir.name = "size"}, tensor<i1> {weir.name = "closed"}) {
    %q = weir.handle @q
    %n, %x, %c1 = weir.dequeue %q : (!weir.resource) -> (tensor<i32>, tensor<*xf32>, !weir.control)
    %m, %y, %c2 = weir.dequeue %q after(%c1) : (!weir.resource) -> (tensor<i32>, tensor<f32>, !weir.control)
    %size, %c3 = weir.queue_size %q after(%c2) : (!weir.resource) -> (tensor<i32>, !weir.control)
    %closed, %c4 = weir.queue_is_closed %q after(%c2) : (!weir.resource) -> (tensor<i1>, !weir.control)
    weir.fetch %n, %x, %m, %y, %size, %closed : tensor<i32>, tensor<*xf32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<i1>
  }

  // A batch goes in in pieces while the step takes elements out again: five elements through a queue of one.
  // BATCH: all = [10, 20, 30, 40, 50]
  weir.graph @batch() -> (tensor<?xi32> {weir.name = "all"}) {
    %q = weir.handle @small
    %five = weir.constant dense<5> : tensor<i32>
    %x = weir.constant dense<[10, 20, 30, 40, 50]> : tensor<5xi32>
    %c1 = weir.enqueue_many %q, %x : (!weir.resource, tensor<5xi32>) -> !weir.control
    %all, %c2 = weir.dequeue_many %q, %five : (!weir.resource, tensor<i32>) -> (tensor<?xi32>, !weir.control)
    weir.fetch %all after(%c1) : tensor<?xi32>
  }

  // A dequeue that waits does not hold up the other nodes; what they enqueue lets it go on.
  // HELP: x = 7
  weir.graph @help() -> (tensor<i32> {weir.name = "x"}) {
    %q = weir.handle @small
    %x, %c1 = weir.dequeue %q : (!weir.resource) -> (tensor<i32>, !weir.control)
    %three = weir.constant dense<3> : tensor<i32>
    %four = weir.constant dense<4> : tensor<i32>
    %a = weir.assign @w, %three : tensor<i32>
    %b = weir.assign_add @w, %four after(%a) : tensor<i32>
    %w, %r = weir.read @w after(%b) : tensor<i32>
    %c2 = weir.enqueue %q, %w : (!weir.resource, tensor<i32>) -> !weir.control
    weir.fetch %x after(%c2) : tensor<i32>
  }

  // From a closed queue dequeue_up_to takes what is left.
  // REST: all = [8]
  // REST: closed = true
  weir.graph @rest() -> (tensor<?xi32> {weir.name = "all"}, tensor<i1> {weir.name = "closed"}) {
    %q = weir.handle @small
    %five = weir.constant dense<5> : tensor<i32>
    %x = weir.constant dense<8> : tensor<i32>
    %c1 = weir.enqueue %q, %x : (!weir.resource, tensor<i32>) -> !weir.control
    %c2 = weir.queue_close %q after(%c1) : (!weir.resource) -> !weir.control
    %all, %c3 = weir.dequeue_up_to %q, %five after(%c2) : (!weir.resource, tensor<i32>) -> (tensor<?xi32>, !weir.control)
    %closed, %c4 = weir.queue_is_closed %q after(%c2) : (!weir.resource) -> (tensor<i1>, !weir.control)
    weir.fetch %all, %closed : tensor<?xi32>, tensor<i1>
  }

  // A padding queue fills up what is shorter than the longest.
  // PAD: all = {{\[}}[1, 2], [3, 0]]
  weir.graph @pad() -> (tensor<?x?xi32> {weir.name = "all"}) {
    %q = weir.handle @padded
    %two = weir.constant dense<2> : tensor<i32>
    %x = weir.constant dense<[1, 2]> : tensor<2xi32>
    %y = weir.constant dense<3> : tensor<1xi32>
    %c1 = weir.enqueue %q, %x : (!weir.resource, tensor<2xi32>) -> !weir.control
    %c2 = weir.enqueue %q, %y after(%c1) : (!weir.resource, tensor<1xi32>) -> !weir.control
    %all, %c3 = weir.dequeue_many %q, %two after(%c2) : (!weir.resource, tensor<i32>) -> (tensor<?x?xi32>, !weir.control)
    weir.fetch %all : tensor<?x?xi32>
  }

  // The smallest priority first.
  // PRIORITY: order = [1, 5, 9]
  // PRIORITY: what = ["soon", "later", "last"]
  weir.graph @priority() -> (tensor<?xi64> {weir.name = "order"}, tensor<?x!weir.string> {weir.name = "what"}) {
    %q = weir.handle @urgent
    %three = weir.constant dense<3> : tensor<i32>
    %p = weir.constant dense<[5, 9, 1]> : tensor<3xi64>
    %s = weir.constant dense<["later", "last", "soon"]> : tensor<3x!weir.string>
    %c1 = weir.enqueue_many %q, %p, %s : (!weir.resource, tensor<3xi64>, tensor<3x!weir.string>) -> !weir.control
    %order, %what, %c2 = weir.dequeue_many %q, %three after(%c1) : (!weir.resource, tensor<i32>) -> (tensor<?xi64>, tensor<?x!weir.string>, !weir.control)
    weir.fetch %order, %what : tensor<?xi64>, tensor<?x!weir.string>
  }

  // A shuffling queue keeps some elements until it is closed; all come in the end.
  // SHUFFLE: sum = 10
  weir.graph @shuffle() -> (tensor<i32> {weir.name = "sum"}) {
    %q = weir.handle @mixed
    %two = weir.constant dense<2> : tensor<i32>
    %x = weir.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %c1 = weir.enqueue_many %q, %x : (!weir.resource, tensor<4xi32>) -> !weir.control
    %a, %c2 = weir.dequeue_many %q, %two after(%c1) : (!weir.resource, tensor<i32>) -> (tensor<2xi32>, !weir.control)
    %c3 = weir.queue_close %q after(%c2) : (!weir.resource) -> !weir.control
    %b, %c4 = weir.dequeue_many %q, %two after(%c3) : (!weir.resource, tensor<i32>) -> (tensor<2xi32>, !weir.control)
    %all = weir.add %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %sum = weir.reduce_sum %all {axes = array<i64: 0>} : (tensor<2xi32>) -> tensor<i32>
    weir.fetch %sum : tensor<i32>
  }

  // Which queue it is may be known at run time only.
  // CHOSEN: size = 1
  weir.graph @chosen(%p: tensor<i1> {weir.name = "p"}) -> (tensor<i32> {weir.name = "size"}) {
    %a = weir.handle @small
    %b = weir.handle @mixed
    %x = weir.constant dense<8> : tensor<i32>
    %af, %at, %c0 = weir.switch %a, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
    %bf, %bt, %c1 = weir.switch %b, %p : (!weir.resource, tensor<i1>) -> (!weir.resource, !weir.resource, !weir.control)
    %q, %i, %c2 = weir.merge %at, %bf : (!weir.resource, !weir.resource) -> (!weir.resource, tensor<i32>, !weir.control)
    %c3 = weir.enqueue %q, %x : (!weir.resource, tensor<i32>) -> !weir.control
    %size, %c4 = weir.queue_size %a after(%c3) : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %size : tensor<i32>
  }

  // The end of the data: the queue is closed and has too little.
  // END: [WEIR0341] 'weir.dequeue' at {{.*}}queues.mlir:[[#@LINE+4]]: queue 'small' is closed and has insufficient elements
  weir.graph @end() -> (tensor<i32> {weir.name = "x"}) {
    %q = weir.handle @small
    %c1 = weir.queue_close %q : (!weir.resource) -> !weir.control
    %x, %c2 = weir.dequeue %q after(%c1) : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %x : tensor<i32>
  }

  // A closed queue takes nothing in.
  // CLOSED: [WEIR0340] 'weir.enqueue' at {{.*}}: queue 'small' is closed
  weir.graph @closed() {
    %q = weir.handle @small
    %x = weir.constant dense<8> : tensor<i32>
    %c1 = weir.queue_close %q : (!weir.resource) -> !weir.control
    %c2 = weir.enqueue %q, %x after(%c1) : (!weir.resource, tensor<i32>) -> !weir.control
    weir.fetch after(%c2)
  }

  // Nothing can come any more: the error lists who waits for what.
  // STALL: [WEIR0138] {{.*}}'first' at {{.*}} waits for an element of FIFO queue 'small'; 'second' at {{.*}} waits for 4 elements of padding FIFO queue 'padded'
  weir.graph @stall() -> (tensor<i32> {weir.name = "x"}) {
    %q = weir.handle @small
    %p = weir.handle @padded
    %four = weir.constant dense<4> : tensor<i32>
    %x, %c1 = weir.dequeue %q {weir.name = "first"} : (!weir.resource) -> (tensor<i32>, !weir.control)
    %y, %c2 = weir.dequeue_many %p, %four {weir.name = "second"} : (!weir.resource, tensor<i32>) -> (tensor<?x?xi32>, !weir.control)
    weir.fetch %x after(%c2) : tensor<i32>
  }

  // With a time-out the node fails by itself; the earliest one comes first.
  // LATE: [WEIR0343] 'sooner' at
  weir.graph @late() -> (tensor<i32> {weir.name = "x"}, tensor<i32> {weir.name = "y"}) {
    %q = weir.handle @small
    %x, %c1 = weir.dequeue %q {weir.name = "later", timeout_ms = 100000 : i64} : (!weir.resource) -> (tensor<i32>, !weir.control)
    %y, %c2 = weir.dequeue %q {weir.name = "sooner", timeout_ms = 20000 : i64} : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %x, %y : tensor<i32>, tensor<i32>
  }

  // What a node declares to get is compared with the queue before anything is taken.
  // TYPE: [WEIR0326] 'weir.dequeue' at {{.*}}: FIFO queue 'small' has elements of tensor<i32>, but result 0 is declared as tensor<f32>
  weir.graph @type() -> (tensor<f32> {weir.name = "x"}) {
    %q = weir.handle @small
    %x, %c1 = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }

  // A handle of something else.
  // KIND: [WEIR0338] 'weir.dequeue' at {{.*}}: operand 0 has to be a handle of a queue, but names variable 'w'
  weir.graph @kind() -> (tensor<f32> {weir.name = "x"}) {
    %q = weir.handle @w
    %x, %c1 = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }

  // A count is a scalar.
  // VECTOR: [WEIR0339] 'weir.dequeue_many' at {{.*}}: operand 1 has to be a scalar, but is i32 of shape 2
  weir.graph @vector(%n: tensor<*xi32> {weir.name = "n"}) -> (tensor<?xi32> {weir.name = "x"}) {
    %q = weir.handle @small
    %x, %c1 = weir.dequeue_many %q, %n : (!weir.resource, tensor<*xi32>) -> (tensor<?xi32>, !weir.control)
    weir.fetch %x : tensor<?xi32>
  }
}
