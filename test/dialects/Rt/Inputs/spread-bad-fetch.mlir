rt.spread @train feeds [] fetches [{name = "y", type = tensor<f32>}] parts [
  {graph = @train.0, feeds = array<i32>, fetches = array<i32: 0>},
  {graph = @train.1, feeds = array<i32>, fetches = array<i32: 0>}]
