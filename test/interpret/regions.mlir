// RUN: weir-run %s --interpret --from=schedule --entry=if --feed p=true --feed x=3 | FileCheck %s --check-prefix=TRUE
// RUN: weir-run %s --interpret --from=schedule --entry=if --feed p=false --feed x=3 | FileCheck %s --check-prefix=FALSE
// RUN: weir-run %s --interpret --from=schedule --entry=while --feed n=5 | FileCheck %s --check-prefix=WHILE
// RUN: weir-run %s --interpret --from=schedule --entry=while --feed n=0 | FileCheck %s --check-prefix=NONE
// RUN: not weir-run %s --interpret --from=schedule --entry=wait 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: not weir-run %s --interpret --from=schedule --entry=endless --timeout-ms=500 2>&1 | FileCheck %s --check-prefix=ENDLESS
// Conditionals and loops in the form that the raise phase gives them.
// REQUIRES: weir-run

module {
  weir.variable @w : tensor<f32>
  weir.queue @q capacity 3 of tensor<f32>

  // One region runs, with what it does to variables; it captures values and control edges, and gives both.
  // TRUE: y = -3
  // TRUE: w = 3
  // FALSE: y = 9
  // FALSE: w = 1
  weir.graph @if(%p: tensor<i1> {weir.name = "p"}, %x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}, tensor<f32> {weir.name = "w"}) {
    %one = weir.constant dense<1.0> : tensor<f32>
    %start = weir.assign @w, %one : tensor<f32>
    %cond = tensor.extract %p[] : tensor<i1>
    %y, %done = scf.if %cond -> (tensor<f32>, !weir.control) {
      %neg = weir.neg %x : (tensor<f32>) -> tensor<f32>
      %c = weir.assign @w, %x after(%start) : tensor<f32>
      scf.yield %neg, %c : tensor<f32>, !weir.control
    } else {
      %square = weir.group "square" -> tensor<f32> {
        %s = weir.mul %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
        weir.yield %s : tensor<f32>
      }
      scf.yield %square, %start : tensor<f32>, !weir.control
    }
    %w, %r = weir.read @w after(%done) : tensor<f32>
    weir.fetch %y, %w : tensor<f32>, tensor<f32>
  }

  // A loop carries values, here two that change places, and a condition inside of a loop is one more region.
  // WHILE: a = 0
  // WHILE: b = 1
  // WHILE: odd = 2
  // NONE: a = 1
  // NONE: b = 0
  // NONE: odd = 0
  weir.graph @while(%n: tensor<i32> {weir.name = "n"}) -> (tensor<i32> {weir.name = "a"}, tensor<i32> {weir.name = "b"}, tensor<i32> {weir.name = "odd"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %r:4 = scf.while (%i = %zero, %a = %one, %b = %zero, %odd = %zero) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
      %less = weir.compare %i, %n {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %go = tensor.extract %less[] : tensor<i1>
      scf.condition(%go) %i, %a, %b, %odd : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    } do {
    ^bb0(%i: tensor<i32>, %a: tensor<i32>, %b: tensor<i32>, %odd: tensor<i32>):
      %step = weir.constant dense<1> : tensor<i32>
      %next = weir.add %i, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %is = weir.compare %b, %step {predicate = #weir.compare<eq>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %isodd = tensor.extract %is[] : tensor<i1>
      %count = scf.if %isodd -> (tensor<i32>) {
        %more = weir.add %odd, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
        scf.yield %more : tensor<i32>
      } else {
        scf.yield %odd : tensor<i32>
      }
      scf.yield %next, %b, %a, %count : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    }
    weir.fetch %r#1, %r#2, %r#3 : tensor<i32>, tensor<i32>, tensor<i32>
  }

  // ENDLESS: [WEIR0323] 'scf.while' at {{.*}}: the step has not finished by its deadline; this node was to run
  weir.graph @endless() -> (tensor<i32> {weir.name = "i"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %go = weir.constant dense<true> : tensor<i1>
    %r = scf.while (%i = %zero) : (tensor<i32>) -> tensor<i32> {
      %p = tensor.extract %go[] : tensor<i1>
      scf.condition(%p) %i : tensor<i32>
    } do {
    ^bb0(%i: tensor<i32>):
      scf.yield %i : tensor<i32>
    }
    weir.fetch %r : tensor<i32>
  }

  // Nothing else runs while a region does, so it cannot wait.
  // WAIT: [WEIR0138] 'weir.dequeue' at {{.*}}: the node waits for an element of FIFO queue 'q', which cannot come while the region that it stands in runs
  weir.graph @wait() -> (tensor<f32> {weir.name = "x"}) {
    %p = weir.constant dense<true> : tensor<i1>
    %q = weir.handle @q
    %cond = tensor.extract %p[] : tensor<i1>
    %y = scf.if %cond -> (tensor<f32>) {
      %x, %c = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
      scf.yield %x : tensor<f32>
    } else {
      %z = weir.constant dense<0.0> : tensor<f32>
      scf.yield %z : tensor<f32>
    }
    weir.fetch %y : tensor<f32>
  }
}
