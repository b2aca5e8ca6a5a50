// RUN: weir-run %s --interpret --entry=count --feed n=5 | FileCheck %s --check-prefix=COUNT
// RUN: weir-run %s --interpret --entry=count --feed n=0 | FileCheck %s --check-prefix=NONE
// RUN: weir-run %s --interpret --entry=sums --feed n=4 | FileCheck %s --check-prefix=SUMS
// RUN: weir-run %s --interpret --entry=untaken --feed p=false | FileCheck %s --check-prefix=UNTAKEN
// RUN: weir-run %s --interpret --entry=untaken --feed p=true | FileCheck %s --check-prefix=TAKEN
// RUN: weir-run %s --interpret --entry=handles --feed n=3 | FileCheck %s --check-prefix=HANDLES
// RUN: weir-run %s --interpret --entry=straight | FileCheck %s --check-prefix=STRAIGHT
// RUN: not weir-run %s --interpret --entry=never --feed p=true 2>&1 | FileCheck %s --check-prefix=NEVER
// Loops as dataflow: frames, iterations and what leaves them.
// REQUIRES: weir-run

module {
  weir.variable @w : tensor<i32>

  // A loop gives what its exit is given in the last iteration. Without any iteration, that is what entered.
  // COUNT: i = 5
  // COUNT: factorial = 120
  // NONE: i = 0
  // NONE: factorial = 1
  weir.graph @count(%n: tensor<i32> {weir.name = "n"}) -> (tensor<i32> {weir.name = "i"}, tensor<i32> {weir.name = "factorial"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %p0, %c1 = weir.enter %one {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %limit, %c2 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i, %ii, %c3 = weir.merge %i0, %inext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %p, %ip, %c4 = weir.merge %p0, %pnext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %less = weir.compare %i, %limit {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go, %c5 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c6 = weir.switch %i, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %pf, %pt, %c7 = weir.switch %p, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %i1 = weir.add %it, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %p1 = weir.mul %pt, %i1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %inext, %c8 = weir.next_iteration %i1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %pnext, %c9 = weir.next_iteration %p1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %iout, %c10 = weir.exit %if : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %pout, %c11 = weir.exit %pf : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %iout, %pout : tensor<i32>, tensor<i32>
  }

  // A loop in a loop: each iteration outside makes an instance of the inner frame. The sum of i*j over j < i < n.
  // SUMS: sum = 11
  weir.graph @sums(%n: tensor<i32> {weir.name = "n"}) -> (tensor<i32> {weir.name = "sum"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %i0, %c0 = weir.enter %zero {frame = "outer"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %s0, %c1 = weir.enter %zero {frame = "outer"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %z0, %cz = weir.enter %zero {frame = "outer", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %limit, %c2 = weir.enter %n {frame = "outer", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i, %ii, %c3 = weir.merge %i0, %inext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %s, %is, %c4 = weir.merge %s0, %snext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %less = weir.compare %i, %limit {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go, %c5 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c6 = weir.switch %i, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %sf, %st, %c7 = weir.switch %s, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %zf, %zt, %c70 = weir.switch %z0, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)

    %j0, %d0 = weir.enter %zt {frame = "inner"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %t0, %d1 = weir.enter %st {frame = "inner"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %k, %d2 = weir.enter %it {frame = "inner", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %j, %ij, %d3 = weir.merge %j0, %jnext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %t, %jt, %d4 = weir.merge %t0, %tnext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %jless = weir.compare %j, %k {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %jgo, %d5 = weir.loop_cond %jless : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %jf, %jtrue, %d6 = weir.switch %j, %jgo : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %tf, %tt, %d7 = weir.switch %t, %jgo : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %product = weir.mul %jtrue, %k : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t1 = weir.add %tt, %product : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %j1 = weir.add %jtrue, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %jnext, %d8 = weir.next_iteration %j1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %tnext, %d9 = weir.next_iteration %t1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %tout, %d10 = weir.exit %tf : (tensor<i32>) -> (tensor<i32>, !weir.control)

    %i1 = weir.add %it, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %inext, %c8 = weir.next_iteration %i1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %snext, %c9 = weir.next_iteration %tout : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %sout, %c11 = weir.exit %sf : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %sout : tensor<i32>
  }

  // A loop on the dead side never begins; its exit is dead, once, and the merge behind takes the other side.
  // UNTAKEN: y = 40
  // TAKEN: y = 10
  weir.graph @untaken(%p: tensor<i1> {weir.name = "p"}) -> (tensor<i32> {weir.name = "y"}) {
    %x = weir.constant dense<40> : tensor<i32>
    %ten = weir.constant dense<10> : tensor<i32>
    %two = weir.constant dense<2> : tensor<i32>
    %f, %t, %c = weir.switch %x, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %i0, %c0 = weir.enter %t {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i, %ii, %c3 = weir.merge %i0, %inext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %more = weir.compare %i, %ten {predicate = #weir.compare<gt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go, %c5 = weir.loop_cond %more : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c6 = weir.switch %i, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %i1 = weir.sub %it, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %inext, %c8 = weir.next_iteration %i1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %iout, %c10 = weir.exit %if : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %y, %i2, %c11 = weir.merge %f, %iout : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }

  // A handle goes through a loop as any value does; the variable changes in each iteration.
  // HANDLES: w = 7
  weir.graph @handles(%n: tensor<i32> {weir.name = "n"}) -> (tensor<i32> {weir.name = "w"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %two = weir.constant dense<2> : tensor<i32>
    %h = weir.handle @w
    %start = weir.assign @w, %one : tensor<i32>
    %h1 = weir.identity %h after(%start) : (!weir.resource) -> !weir.resource
    %h0, %ch = weir.enter %h1 {frame = "f", is_constant} : (!weir.resource) -> (!weir.resource, !weir.control)
    %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %limit, %c2 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i, %ii, %c3 = weir.merge %i0, %inext : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %less = weir.compare %i, %limit {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go, %c5 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c6 = weir.switch %i, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %a = weir.assign_add_resource %h0, %two after(%body) : (!weir.resource, tensor<i32>) -> !weir.control
    %body = weir.completed %it : tensor<i32>
    %i1 = weir.add %it, %one after(%a) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %inext, %c8 = weir.next_iteration %i1 : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %iout, %c10 = weir.exit %if : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %w, %cw = weir.read_resource %h after(%c10) : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %w : tensor<i32>
  }

  // A frame need not loop.
  // STRAIGHT: y = -1
  weir.graph @straight() -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %x, %c0 = weir.enter %one {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %n = weir.neg %x : (tensor<i32>) -> tensor<i32>
    %y, %c1 = weir.exit %n : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }

  // An exit that is dead in the last iteration, and was live in none, is dead outside.
  // NEVER: [WEIR0334] 'weir.exit' at {{.*}}: fetch 'y' has no value: it is dead, because 'gate' at
  weir.graph @never(%p: tensor<i1> {weir.name = "p"}) -> (tensor<i32> {weir.name = "y"}) {
    %one = weir.constant dense<1> : tensor<i32>
    %x, %c0 = weir.enter %one {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %q, %c1 = weir.enter %p {frame = "f"} : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %f, %t, %c2 = weir.switch %x, %q {weir.name = "gate"} : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %y, %c3 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %y : tensor<i32>
  }
}
