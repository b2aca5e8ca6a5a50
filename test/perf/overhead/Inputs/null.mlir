// The smallest step there is: a scalar in, a scalar out.
module @null {
  weir.graph @step(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
    %one = weir.constant dense<1.0> : tensor<f32>
    %y = weir.add %x, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}
