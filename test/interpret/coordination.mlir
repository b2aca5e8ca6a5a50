// RUN: weir-run %s --interpret --entry=barrier | FileCheck %s --check-prefix=BARRIER
// RUN: weir-run %s --interpret --entry=mean | FileCheck %s --check-prefix=MEAN
// RUN: not weir-run %s --interpret --entry=twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not weir-run %s --interpret --entry=few 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not weir-run %s --interpret --entry=other 2>&1 | FileCheck %s --check-prefix=OTHER
// Barriers and conditional accumulators in steps; docs/spec/queues.md has their rules.
// REQUIRES: weir-run

module {
  weir.barrier @pairs of [tensor<f32>, tensor<i32>]
  weir.accumulator @g : tensor<2xf32>

  // The components of an element come one by one; of keys that came together the one that is complete first is taken first.
  // BARRIER: keys = ["b", "a"]
  // BARRIER: x = [2, 1]
  // BARRIER: n = [20, 10]
  // BARRIER: ready = 2
  // BARRIER: incomplete = 1
  weir.graph @barrier() -> (tensor<?x!weir.string> {weir.name = "keys"}, tensor<?xf32> {weir.name = "x"}, tensor<?xi32> {weir.name = "n"},
                            tensor<i32> {weir.name = "ready"}, tensor<i32> {weir.name = "incomplete"}) {
    %b = weir.handle @pairs
    %two = weir.constant dense<2> : tensor<i32>
    %abc = weir.constant dense<["a", "b", "c"]> : tensor<3x!weir.string>
    %ba = weir.constant dense<["b", "a"]> : tensor<2x!weir.string>
    %x = weir.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %n = weir.constant dense<[20, 10]> : tensor<2xi32>
    %c1 = weir.barrier_insert_many %b, %abc, %x {component = 0 : i64} : (!weir.resource, tensor<3x!weir.string>, tensor<3xf32>) -> !weir.control
    %c2 = weir.barrier_insert_many %b, %ba, %n after(%c1) {component = 1 : i64} : (!weir.resource, tensor<2x!weir.string>, tensor<2xi32>) -> !weir.control
    %ready, %c3 = weir.barrier_ready_size %b after(%c2) : (!weir.resource) -> (tensor<i32>, !weir.control)
    %open, %c4 = weir.barrier_incomplete_size %b after(%c2) : (!weir.resource) -> (tensor<i32>, !weir.control)
    %i, %k, %v, %w, %c5 = weir.barrier_take_many %b, %two after(%c3, %c4) : (!weir.resource, tensor<i32>) -> (tensor<?xi64>, tensor<?x!weir.string>, tensor<?xf32>, tensor<?xi32>, !weir.control)
    weir.fetch %k, %v, %w, %ready, %open : tensor<?x!weir.string>, tensor<?xf32>, tensor<?xi32>, tensor<i32>, tensor<i32>
  }

  // A take waits until enough gradients are in and gives their mean; one of a step before is dropped.
  // MEAN: mean = [2, 4]
  // MEAN: stale = 0
  // MEAN: left = 1
  weir.graph @mean() -> (tensor<2xf32> {weir.name = "mean"}, tensor<i32> {weir.name = "stale"}, tensor<i32> {weir.name = "left"}) {
    %a = weir.handle @g
    %two = weir.constant dense<2> : tensor<i32>
    %zero = weir.constant dense<0> : tensor<i64>
    %nine = weir.constant dense<9> : tensor<i64>
    %x = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = weir.constant dense<[3.0, 6.0]> : tensor<2xf32>
    %mean, %c0 = weir.accumulator_take %a, %two : (!weir.resource, tensor<i32>) -> (tensor<2xf32>, !weir.control)
    %c1 = weir.accumulator_apply %a, %zero, %x : (!weir.resource, tensor<i64>, tensor<2xf32>) -> !weir.control
    %c2 = weir.accumulator_apply %a, %zero, %y : (!weir.resource, tensor<i64>, tensor<2xf32>) -> !weir.control
    %c3 = weir.accumulator_apply %a, %zero, %y after(%c0) : (!weir.resource, tensor<i64>, tensor<2xf32>) -> !weir.control
    %stale, %c4 = weir.accumulator_size %a after(%c3) : (!weir.resource) -> (tensor<i32>, !weir.control)
    %c5 = weir.accumulator_set_step %a, %nine after(%c4) : (!weir.resource, tensor<i64>) -> !weir.control
    %c6 = weir.accumulator_apply %a, %nine, %y after(%c5) : (!weir.resource, tensor<i64>, tensor<2xf32>) -> !weir.control
    %left, %c7 = weir.accumulator_size %a after(%c6) : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %mean, %stale, %left after(%c1, %c2) : tensor<2xf32>, tensor<i32>, tensor<i32>
  }

  // TWICE: [WEIR0350] 'weir.barrier_insert_many' at {{.*}}barrier 'pairs'
  weir.graph @twice() {
    %b = weir.handle @pairs
    %k = weir.constant dense<"a"> : tensor<1x!weir.string>
    %x = weir.constant dense<1.0> : tensor<1xf32>
    %c1 = weir.barrier_insert_many %b, %k, %x {component = 0 : i64} : (!weir.resource, tensor<1x!weir.string>, tensor<1xf32>) -> !weir.control
    %c2 = weir.barrier_insert_many %b, %k, %x after(%c1) {component = 0 : i64} : (!weir.resource, tensor<1x!weir.string>, tensor<1xf32>) -> !weir.control
    weir.fetch after(%c2)
  }

  // FEW: [WEIR0138] {{.*}}'weir.barrier_take_many' at {{.*}} waits for 2 complete elements of barrier 'pairs'
  weir.graph @few() -> (tensor<?xf32> {weir.name = "x"}) {
    %b = weir.handle @pairs
    %two = weir.constant dense<2> : tensor<i32>
    %i, %k, %v, %w, %c5 = weir.barrier_take_many %b, %two : (!weir.resource, tensor<i32>) -> (tensor<?xi64>, tensor<?x!weir.string>, tensor<?xf32>, tensor<?xi32>, !weir.control)
    weir.fetch %v : tensor<?xf32>
  }

  // OTHER: [WEIR0338] 'weir.accumulator_size' at {{.*}}: operand 0 has to be a handle of an accumulator, but names barrier 'pairs'
  weir.graph @other() -> (tensor<i32> {weir.name = "n"}) {
    %b = weir.handle @pairs
    %n, %c = weir.accumulator_size %b : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %n : tensor<i32>
  }
}
