// A loop of scalar work, as Enter, Switch, Merge and Exit have it: n iterations of x * 0.999 + 1.
module @while {
  weir.graph @step(%n: tensor<i32> {weir.name = "n"}, %x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %factor = weir.constant dense<0.999> : tensor<f32>
    %term = weir.constant dense<1.0> : tensor<f32>
    %i0, %c0 = weir.enter %zero {frame = "loop"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %x0, %c1 = weir.enter %x {frame = "loop"} : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %end, %c2 = weir.enter %n {frame = "loop", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i, %ii, %c3 = weir.merge %i0, %next_i : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %v, %vi, %c4 = weir.merge %x0, %next_v : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    %less = weir.compare %i, %end {predicate = #weir.compare<lt>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p, %c5 = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %if, %it, %c6 = weir.switch %i, %p : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %vf, %vt, %c7 = weir.switch %v, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %inc = weir.add %it, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %product = weir.mul %vt, %factor : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %sum = weir.add %product, %term : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %next_i, %c8 = weir.next_iteration %inc : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %next_v, %c9 = weir.next_iteration %sum : (tensor<f32>) -> (tensor<f32>, !weir.control)
    %y, %c10 = weir.exit %vf : (tensor<f32>) -> (tensor<f32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}
