// State, two feeds, two entry points, a gradient and a checkpoint.
module @counter {
  weir.variable @w : tensor<2xf32>
  weir.variable @unrelated : tensor<3xf32>
  weir.graph @init() {
    %v = weir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %c = weir.assign @w, %v : tensor<2xf32>
    weir.fetch after(%c)
  }
  weir.graph @train(%x: tensor<?x2xf32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "loss"}, tensor<2xf32> {weir.name = "slope"}) {
    %w, %read = weir.read @w : tensor<2xf32>
    %p = weir.mul %x, %w : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
    %loss = weir.reduce_sum %p {axes = array<i64: 0, 1>} : (tensor<?x2xf32>) -> tensor<f32>
    %g = weir.gradients %loss wrt(%w) : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
    %c = weir.assign_sub @w, %g after(%read) : tensor<2xf32>
    weir.fetch %loss, %g after(%c) : tensor<f32>, tensor<2xf32>
  }
  weir.graph @other() -> (tensor<3xf32> {weir.name = "value"}) {
    %v, %read = weir.read @unrelated : tensor<3xf32>
    weir.fetch %v : tensor<3xf32>
  }
  weir.graph @save(%path: tensor<!weir.string> {weir.name = "path"}) {
    %w, %read = weir.read @w : tensor<2xf32>
    %c = weir.save %path, %w names ["w"] : tensor<!weir.string>, tensor<2xf32>
    weir.fetch after(%c)
  }
  weir.graph @restore(%path: tensor<!weir.string> {weir.name = "path"}) {
    %w, %read = weir.restore %path names ["w"] : tensor<!weir.string> -> tensor<2xf32>
    %c = weir.assign @w, %w : tensor<2xf32>
    weir.fetch after(%c)
  }
}
