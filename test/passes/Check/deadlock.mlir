// Nodes that wait for what never happens are warned of, with both places.
//
// RUN: weir-opt %s --weir-check-deadlock --verify-diagnostics --split-input-file -o /dev/null

// Nothing fills the one, nothing takes from the other; an entry point that
// nobody fetches from counts too.
// expected-note @+1 {{it is declared here}}
weir.queue @never_filled capacity 10 of tensor<f32>
// expected-note @+1 {{it is declared here}}
weir.queue @never_drained capacity 10 of tensor<f32>
weir.queue @unbounded capacity -1 of tensor<f32>
weir.graph @ends(%x: tensor<f32>) -> tensor<f32> {
  %a = weir.handle @never_filled
  %b = weir.handle @never_drained
  %u = weir.handle @unbounded
  // expected-warning @+1 {{[WEIR0140] node 'weir.dequeue' takes from queue '@never_filled', which no node of the program fills}}
  %y, %c = weir.dequeue %a : (!weir.resource) -> (tensor<f32>, !weir.control)
  // expected-warning @+1 {{[WEIR0141] node 'weir.enqueue' fills queue '@never_drained' of capacity 10}}
  %d = weir.enqueue %b, %x : (!weir.resource, tensor<f32>) -> !weir.control
  %e = weir.enqueue %u, %x : (!weir.resource, tensor<f32>) -> !weir.control
  weir.fetch %y after(%d, %e) : tensor<f32>
}

// -----

// Two entry points, one of which fills what the other takes from, are fine.
weir.queue @q capacity 10 of tensor<f32>
weir.graph @put(%x: tensor<f32>) {
  %q = weir.handle @q
  %d = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
  weir.fetch after(%d)
}
weir.graph @get() -> tensor<f32> {
  %q = weir.handle @q
  %y, %c = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// An enqueue that no fetch needs does not run.
// expected-note @+1 {{it is declared here}}
weir.queue @q capacity 10 of tensor<f32>
weir.graph @f(%x: tensor<f32>) -> tensor<f32> {
  %q = weir.handle @q
  %d = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
  // expected-warning @+1 {{[WEIR0140]}}
  %y, %c = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// A token that is put back only after it was taken: there is never a first.
weir.queue @tokens capacity 4 of tensor<i64>
weir.graph @step() -> tensor<i64> {
  %q = weir.handle @tokens
  // expected-warning @+2 {{[WEIR0142] node 'weir.dequeue' takes from queue '@tokens', which is filled only after it was taken from}}
  // expected-note @+1 {{'weir.dequeue' takes from queue '@tokens'}}
  %token, %taken = weir.dequeue %q : (!weir.resource) -> (tensor<i64>, !weir.control)
  // expected-note @+1 {{'weir.enqueue' fills queue '@tokens' after 'weir.dequeue'}}
  %put = weir.enqueue %q, %token : (!weir.resource, tensor<i64>) -> !weir.control
  weir.fetch %token after(%put) : tensor<i64>
}

// -----

// The same through two queues and two entry points.
weir.queue @a capacity 4 of tensor<i64>
weir.queue @b capacity 4 of tensor<i64>
weir.graph @there() {
  %a = weir.handle @a
  %b = weir.handle @b
  // expected-warning @+2 {{[WEIR0142] node 'weir.dequeue' takes from queue '@a'}}
  // expected-note @+1 {{takes from queue '@a', which waits for '@b' in its turn}}
  %x, %c = weir.dequeue %a : (!weir.resource) -> (tensor<i64>, !weir.control)
  // expected-note @+1 {{'weir.enqueue' fills queue '@b' after 'weir.dequeue'}}
  %d = weir.enqueue %b, %x : (!weir.resource, tensor<i64>) -> !weir.control
  weir.fetch after(%d)
}
weir.graph @back() {
  %a = weir.handle @a
  %b = weir.handle @b
  // expected-warning @+2 {{[WEIR0142] node 'weir.dequeue' takes from queue '@b'}}
  // expected-note @+1 {{takes from queue '@b', which waits for '@a' in its turn}}
  %x, %c = weir.dequeue %b : (!weir.resource) -> (tensor<i64>, !weir.control)
  // expected-note @+1 {{'weir.enqueue' fills queue '@a' after 'weir.dequeue'}}
  %d = weir.enqueue %a, %x : (!weir.resource, tensor<i64>) -> !weir.control
  weir.fetch after(%d)
}

// -----

// A first token makes it run: where it may come by another side of a merge,
// the wait is not certain.
weir.queue @tokens capacity 4 of tensor<i64>
weir.graph @step(%first: tensor<i1>, %one: tensor<i64>) -> tensor<i64> {
  %q = weir.handle @tokens
  %f, %t, %c0 = weir.switch %one, %first : (tensor<i64>, tensor<i1>) -> (tensor<i64>, tensor<i64>, !weir.control)
  %on = weir.completed %f : tensor<i64>
  %token, %taken = weir.dequeue %q after(%on) : (!weir.resource) -> (tensor<i64>, !weir.control)
  %m, %i, %c1 = weir.merge %token, %t : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i32>, !weir.control)
  %put = weir.enqueue %q, %m : (!weir.resource, tensor<i64>) -> !weir.control
  weir.fetch %m after(%put) : tensor<i64>
}

// -----

// A sum of two sides of one predicate; a merge of such sums.
weir.graph @sides(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  // expected-warning @+1 {{[WEIR0143] node 'sum' never runs: its operands are on two sides of one predicate}}
  %sum = weir.add %f, %t {weir.name = "sum"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-warning @+1 {{[WEIR0143] node 'weir.merge' never fires}}
  %m, %i, %c1 = weir.merge %sum : (tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
  weir.fetch %m : tensor<f32>
}

// -----

// A batch that is larger than the queue it goes into.
// expected-note @+1 {{the queue is declared here}}
weir.queue @q capacity 10 of tensor<f32>
weir.graph @f(%x: tensor<8xf32>) -> tensor<f32> {
  %q = weir.handle @q
  %a = weir.enqueue_many %q, %x : (!weir.resource, tensor<8xf32>) -> !weir.control
  // expected-warning @+1 {{[WEIR0144] node 'weir.enqueue_many' makes it 16 elements in queue '@q' of capacity 10 before 'weir.dequeue' takes any out}}
  %b = weir.enqueue_many %q, %x after(%a) : (!weir.resource, tensor<8xf32>) -> !weir.control
  // expected-note @+1 {{'weir.dequeue' is here}}
  %y, %c = weir.dequeue %q after(%b) : (!weir.resource) -> (tensor<f32>, !weir.control)
  weir.fetch %y : tensor<f32>
}

// -----

// The end of a queue that nobody closes.
// expected-note @+1 {{it is declared here}}
weir.queue @q capacity 10 of tensor<f32>
weir.graph @put(%x: tensor<f32>) {
  %q = weir.handle @q
  %d = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
  weir.fetch after(%d)
}
weir.graph @get(%n: tensor<i32>) -> tensor<?xf32> {
  %q = weir.handle @q
  // expected-remark @+1 {{[WEIR0145] node 'weir.dequeue_up_to' learns that there is nothing more in queue '@q' only when it is closed}}
  %y, %c = weir.dequeue_up_to %q, %n : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
  weir.fetch %y : tensor<?xf32>
}
