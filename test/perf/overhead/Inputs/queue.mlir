// One element into a queue and out of it again, in one step.
module @queue {
  weir.queue @q capacity 100 of tensor<f32>
  weir.graph @step(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
    %q = weir.handle @q
    %put = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
    %y, %taken = weir.dequeue %q after(%put) : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %y : tensor<f32>
  }
}
