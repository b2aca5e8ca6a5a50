module @m {
  weir.variable @w : tensor<2xf32>
  weir.queue @q capacity 10 of tensor<f32>, tensor<*xi32>
  weir.graph @loop(%n: tensor<i32> {weir.name = "n"}) -> (tensor<i32> {weir.name = "out"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
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
  weir.graph @cond(%x: tensor<?xf32> {weir.name = "x"}, %p: tensor<i1> {weir.name = "p"}) -> (tensor<?xf32> {weir.name = "y"}, tensor<i32> {weir.name = "i"}) {
    %f, %t, %c4 = weir.switch %x, %p : (tensor<?xf32>, tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>, !weir.control)
    %a = weir.exp %f : (tensor<?xf32>) -> tensor<?xf32>
    %a2 = weir.add %a, %f : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %b = weir.neg %t : (tensor<?xf32>) -> tensor<?xf32>
    %y, %i, %c = weir.merge %a2, %b : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i32>, !weir.control)
    weir.fetch %y, %i : tensor<?xf32>, tensor<i32>
  }
  weir.graph @put(%x: tensor<f32> {weir.name = "x"}) -> (tensor<i32> {weir.name = "size"}) {
    %h = weir.handle @q
    %k = weir.constant dense<[1, 2, 3]> : tensor<3xi32>
    %e = weir.enqueue %h, %x, %k : (!weir.resource, tensor<f32>, tensor<3xi32>) -> !weir.control
    %n, %c = weir.queue_size %h after(%e) : (!weir.resource) -> (tensor<i32>, !weir.control)
    weir.fetch %n : tensor<i32>
  }
  weir.graph @get() -> (tensor<f32> {weir.name = "x"}, tensor<*xi32> {weir.name = "k"}) {
    %h = weir.handle @q
    %x, %k, %c = weir.dequeue %h : (!weir.resource) -> (tensor<f32>, tensor<*xi32>, !weir.control)
    weir.fetch %x, %k : tensor<f32>, tensor<*xi32>
  }
  weir.graph @vars(%x: tensor<2xf32> {weir.name = "x"}) -> (tensor<2xf32> {weir.name = "w"}) {
    %h = weir.handle @w
    %a = weir.assign @w, %x : tensor<2xf32>
    %b = weir.assign_add @w, %x after(%a) : tensor<2xf32>
    %d = weir.assign_sub_resource %h, %x after(%b) : (!weir.resource, tensor<2xf32>) -> !weir.control
    %e = weir.assign_add_resource %h, %x after(%d) : (!weir.resource, tensor<2xf32>) -> !weir.control
    %w, %c = weir.read @w after(%e) : tensor<2xf32>
    weir.fetch %w : tensor<2xf32>
  }
}
