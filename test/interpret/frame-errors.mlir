// RUN: not weir-run %s --interpret --from=schedule --entry=crossing 2>&1 | FileCheck %s --check-prefix=CROSSING
// RUN: not weir-run %s --interpret --from=schedule --entry=inside 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not weir-run %s --interpret --from=schedule --entry=next 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: not weir-run %s --interpret --from=schedule --entry=exit 2>&1 | FileCheck %s --check-prefix=EXIT
// RUN: not weir-run %s --interpret --from=schedule --entry=constant 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not weir-run %s --interpret --from=schedule --entry=cycle 2>&1 | FileCheck %s --check-prefix=CYCLE
// RUN: not weir-run %s --interpret --from=schedule --entry=missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not weir-run %s --interpret --from=schedule --entry=orphan 2>&1 | FileCheck %s --check-prefix=ORPHAN
// RUN: not weir-run %s --interpret --from=schedule --entry=twice 2>&1 | FileCheck %s --check-prefix=TWICE
// Graphs that can never finish. The verifier of the import phase finds some of them before; these runs are without it.
// REQUIRES: weir-run

module {
  // What a node is given comes from one frame.
  // CROSSING: [WEIR0136] 'sum' at {{.*}}frame-errors.mlir:[[#@LINE+5]]: the node is given {{.*}}'in' from frame 'a'{{.*}}; weir.enter and weir.exit lead from one to the other
  weir.graph @crossing() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %out = weir.add %one, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %x, %c0 = weir.enter %one {frame = "a", weir.name = "in"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %y = weir.add %x, %out {weir.name = "sum"} : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %z, %c1 = weir.exit %y : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %z : tensor<i32>
  }

  // A value inside of a frame cannot be fetched.
  // INSIDE: [WEIR0136] 'weir.fetch' at {{.*}}: the node is given something from the graph itself and 'in' from frame 'b' in frame 'a'
  weir.graph @inside() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %x, %c0 = weir.enter %one {frame = "a"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %y, %c1 = weir.enter %x {frame = "b", weir.name = "in"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }

  // NEXT: [WEIR0136] 'weir.next_iteration' at {{.*}}: the node stands in no frame: nothing that it is given comes from a weir.enter
  weir.graph @next() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %y, %c1 = weir.next_iteration %one : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }

  // EXIT: [WEIR0136] 'weir.exit' at {{.*}}: the node stands in no frame
  weir.graph @exit() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %y, %c1 = weir.exit %one : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }

  // A constant is there in every iteration; a merge that took it would never take the back edge.
  // CONSTANT: [WEIR0136] 'weir.merge' at {{.*}}: a merge inside of a frame takes no constant
  weir.graph @constant() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %x, %c0 = weir.enter %one {frame = "a"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %m, %i, %c1 = weir.merge %one, %x : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %y, %c2 = weir.exit %m : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }

  // CYCLE: [WEIR0103] 'weir.merge' at {{.*}}: the node waits for itself, by way of 'weir.merge', 'weir.neg'; only weir.next_iteration may close a cycle
  weir.graph @cycle() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %m, %i, %c1 = weir.merge %one, %y : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %y = weir.neg %m : (tensor<i32>) -> tensor<i32>
    weir.fetch %y : tensor<i32>
  }

  // A merge that nothing reaches never runs, and who waits for it does not either.
  // MISSING: [WEIR0137] entry 'missing' cannot finish: nothing can run any more, but the fetches wait for 'weir.exit' at {{.*}}; 'weir.exit' at {{.*}} waits for 'sum' at {{.*}}; 'sum' at {{.*}} waits for 'weir.merge' at {{.*}}; 'weir.merge' at {{.*}} waits for 'weir.next_iteration' at
  weir.graph @missing() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %x, %c0 = weir.enter %one {frame = "a"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %m, %i, %c1 = weir.merge %next : (tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %y = weir.add %x, %m {weir.name = "sum"} : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %next, %c2 = weir.next_iteration %y : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %z, %c3 = weir.exit %y : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %z : tensor<i32>
  }

  // A loop without a weir.enter never begins.
  // ORPHAN: [WEIR0137] entry 'orphan' cannot finish: {{.*}}'weir.merge' at {{.*}} waits for 'weir.next_iteration' at
  weir.graph @orphan() -> (tensor<i32> {weir.name = "y"}) {
    %m, %i, %c1 = weir.merge %next : (tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %next, %c2 = weir.next_iteration %m : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %z, %c3 = weir.exit %m : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %z : tensor<i32>
  }

  // An exit that is live in each iteration gives more than one value.
  // TWICE: [WEIR0139] {{.*}}fetch 'y' is given a value a second time; an exit may be live in one iteration only
  weir.graph @twice() -> (tensor<i32> {weir.name = "y"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i, %ii, %c3 = weir.merge %i0, %inext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %less = weir.compare %i, %one {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go, %c5 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c6 = weir.switch %i, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %i1 = weir.add %it, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %inext, %c8 = weir.next_iteration %i1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %iout, %c10 = weir.exit %i : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %iout : tensor<i32>
  }
}
