module attributes {rt.devices = ["/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"]} {
  // On a GPU there are no queues.
  weir.queue @q capacity 1 of tensor<f32>
  weir.graph @wait() -> tensor<f32> {
    %q = weir.handle @q
    // Its handle goes with it.
    %x, %c = weir.dequeue %q {weir.device = "/gpu:0", weir.name = "take"} : (!weir.resource) -> (tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }
}
