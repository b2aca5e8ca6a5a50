module @double {
  weir.graph @double(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
    %y = weir.add %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %y : tensor<f32>
  }
}
