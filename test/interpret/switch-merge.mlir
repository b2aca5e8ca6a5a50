// RUN: weir-run %s --interpret --entry=cond --feed p=true --feed x=3 | FileCheck %s --check-prefix=TRUE
// RUN: weir-run %s --interpret --entry=cond --feed p=false --feed x=3 | FileCheck %s --check-prefix=FALSE
// RUN: weir-run %s --interpret --entry=choose --feed i=1 | FileCheck %s --check-prefix=ONE
// RUN: weir-run %s --interpret --entry=choose --feed i=7 | FileCheck %s --check-prefix=LAST
// RUN: weir-run %s --interpret --entry=controls --feed p=true | FileCheck %s --check-prefix=CONTROLS
// RUN: weir-run %s --interpret --entry=nested --feed p=true --feed q=false | FileCheck %s --check-prefix=NESTED
// RUN: weir-run %s --interpret --entry=nested --feed p=false --feed q=false | FileCheck %s --check-prefix=OUTER
// RUN: weir-run %s --interpret --entry=target --feed p=false | FileCheck %s --check-prefix=TARGET
// RUN: weir-run %s --interpret --entry=first | FileCheck %s --check-prefix=FIRST
// RUN: not weir-run %s --interpret --entry=dead --feed p=true 2>&1 | FileCheck %s --check-prefix=DEAD
// RUN: not weir-run %s --interpret --entry=dead_merge --feed p=true 2>&1 | FileCheck %s --check-prefix=DEADMERGE
// RUN: not weir-run %s --interpret --entry=vector --feed p=[true,false] 2>&1 | FileCheck %s --check-prefix=VECTOR
// Conditionals as dataflow: what is live, what is dead, and who runs.
// REQUIRES: weir-run

module {
  weir.variable @w : tensor<f32>

  // A switch sends its operand to one side; only that side runs, and a merge says which it was.
  // TRUE: y = -3
  // TRUE: side = 1
  // FALSE: y = 9
  // FALSE: side = 0
  weir.graph @cond(%p: tensor<i1> {weir.name = "p"}, %x: tensor<f32> {weir.name = "x"})
      -> (tensor<f32> {weir.name = "y"}, tensor<i32> {weir.name = "side"}) {
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %square = weir.mul %f, %f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %neg = weir.neg %t : (tensor<f32>) -> tensor<f32>
    %y, %side, %cm = weir.merge %square, %neg : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y, %side : tensor<f32>, tensor<i32>
  }

  // Of n sides the one with the index is live, the last one where the index is out of range.
  // ONE: y = 11
  // ONE: side = 1
  // LAST: y = 12
  // LAST: side = 2
  weir.graph @choose(%i: tensor<i32> {weir.name = "i"}) -> (tensor<f32> {weir.name = "y"}, tensor<i32> {weir.name = "side"}) {
    %x = weir.constant dense<10.0> : tensor<f32>
    %one = weir.constant dense<1.0> : tensor<f32>
    %two = weir.constant dense<2.0> : tensor<f32>
    %a, %b, %d, %c = weir.switch_n %x, %i : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, !weir.control)
    %b1 = weir.add %b, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %d1 = weir.add %d, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %y, %side, %cm = weir.merge %a, %b1, %d1 : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y, %side : tensor<f32>, tensor<i32>
  }

  // Deadness goes along control edges: the assignment of 1 waits for the false side and does not run.
  // A control_trigger runs all the same, and so does a merge, whose control edge is dead as well.
  // CONTROLS: w = 5
  // CONTROLS: merged = 5
  weir.graph @controls(%p: tensor<i1> {weir.name = "p"}) -> (tensor<f32> {weir.name = "w"}, tensor<f32> {weir.name = "merged"}) {
    %five = weir.constant dense<5.0> : tensor<f32>
    %one = weir.constant dense<1.0> : tensor<f32>
    %f, %t, %c = weir.switch %five, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %dead = weir.completed %f : tensor<f32>
    %a5 = weir.assign @w, %t : tensor<f32>
    %a1 = weir.assign @w, %one after(%a5, %dead) : tensor<f32>
    %done = weir.control_trigger after(%a1, %a5) : () -> !weir.control
    %w, %r = weir.read @w after(%done) : tensor<f32>
    %m, %i, %cm = weir.merge %f, %t after(%a1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %w, %m : tensor<f32>, tensor<f32>
  }

  // Of a conditional on the dead side both sides are dead, and so is its merge.
  // NESTED: y = 2
  // OUTER: y = 1
  weir.graph @nested(%p: tensor<i1> {weir.name = "p"}, %q: tensor<i1> {weir.name = "q"}) -> (tensor<f32> {weir.name = "y"}) {
    %one = weir.constant dense<1.0> : tensor<f32>
    %f, %t, %c = weir.switch %one, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %fq, %tq, %cq = weir.switch %t, %q : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %double = weir.add %fq, %fq : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %inner, %ii, %ci = weir.merge %double, %tq : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %y, %i, %cm = weir.merge %f, %inner : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }

  // A target that is dead is no error: there was nothing to do.
  // TARGET: y = 0
  weir.graph @target(%p: tensor<i1> {weir.name = "p"}) -> (tensor<f32> {weir.name = "y"}) {
    %zero = weir.constant dense<0.0> : tensor<f32>
    %f, %t, %c = weir.switch %zero, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %a = weir.assign @w, %t : tensor<f32>
    weir.fetch %f after(%a) : tensor<f32>
  }

  // Of two live values a merge takes the one that comes first and ignores the other.
  // FIRST: y = 2
  // FIRST: side = 1
  weir.graph @first() -> (tensor<f32> {weir.name = "y"}, tensor<i32> {weir.name = "side"}) {
    %two = weir.constant dense<2.0> : tensor<f32>
    %seven = weir.constant dense<7.0> : tensor<f32>
    %c1 = weir.assign @w, %two : tensor<f32>
    %b, %r1 = weir.read @w after(%c1) : tensor<f32>
    %c2 = weir.assign @w, %seven after(%r1) : tensor<f32>
    %a, %r2 = weir.read @w after(%c2) : tensor<f32>
    %y, %side, %cm = weir.merge %a, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y, %side : tensor<f32>, tensor<i32>
  }

  // A dead value cannot be fetched: the error names the node, the switch and its predicate.
  // DEAD: [WEIR0334] 'square' at {{.*}}switch-merge.mlir:[[#@LINE+4]]: fetch 'y' has no value: it is dead, because 'gate' at {{.*}}:[[#@LINE+3]] took another side, as its predicate feed 'p' said
  weir.graph @dead(%p: tensor<i1> {weir.name = "p"}) -> (tensor<f32> {weir.name = "y"}) {
    %x = weir.constant dense<2.0> : tensor<f32>
    %f, %t, %c = weir.switch %x, %p {weir.name = "gate"} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %y = weir.mul %f, %f {weir.name = "square"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }

  // A merge all of whose operands are dead is dead.
  // DEADMERGE: [WEIR0334] 'weir.merge' at {{.*}}: fetch 'y' has no value: it is dead, because 'weir.switch' at
  weir.graph @dead_merge(%p: tensor<i1> {weir.name = "p"}) -> (tensor<f32> {weir.name = "y"}) {
    %x = weir.constant dense<2.0> : tensor<f32>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %n = weir.neg %f : (tensor<f32>) -> tensor<f32>
    %y, %i, %cm = weir.merge %f, %n : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }

  // A predicate whose rank is not known is checked when it comes.
  // VECTOR: [WEIR0328] 'weir.switch' at {{.*}}: the predicate is i1 of shape 2; it has to be a scalar
  weir.graph @vector(%p: tensor<*xi1> {weir.name = "p"}) -> (tensor<f32> {weir.name = "y"}) {
    %x = weir.constant dense<2.0> : tensor<f32>
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<*xi1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    weir.fetch %f : tensor<f32>
  }
}
