// Every error of the nodes where programs of devices meet. The constraint
// violated stands above each; what ODS checks has none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

weir.graph @f(%x: tensor<f32>, %y: tensor<f32>) {
  // send_c1
  // expected-error@below {{[WEIR0070] a key has one value at most, got 2}}
  %c = weir.send %x, %y {tensor = "x", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : (tensor<f32>, tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f() {
  // receive_c1
  // expected-error@below {{[WEIR0070] a key has one value at most, got 2}}
  %x, %y, %c = weir.receive {tensor = "x", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : () -> (tensor<f32>, tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] 'CPU:0' is no full device name, such as /job:localhost/replica:0/task:0/device:CPU:0}}
  %c = weir.send %x {tensor = "x", source = "CPU:0",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] '/device:CPU:0' is no full device name, such as /job:localhost/replica:0/task:0/device:CPU:0}}
  %c = weir.send %x {tensor = "x", source = "/device:CPU:0",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] '' is no full device name, such as /job:localhost/replica:0/task:0/device:CPU:0}}
  %c = weir.send %x {tensor = "x", source = "",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] '/job:ps/replica:0/task:0/device:CPU:0/' is no full device name, such as /job:localhost/replica:0/task:0/device:CPU:0}}
  %c = weir.send %x {tensor = "x", source = "/job:ps/replica:0/task:0/device:CPU:0/",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] '/job:ps/replica:0/task:0/device:' is no full device name, such as /job:localhost/replica:0/task:0/device:CPU:0}}
  %c = weir.send %x {tensor = "x", source = "/job:ps/replica:0/task:0/device:",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] '/job:ps/task:0/device:CPU:0' is no full device name, such as /job:localhost/replica:0/task:0/device:CPU:0}}
  %c = weir.send %x {tensor = "x", source = "/job:ps/task:0/device:CPU:0",
        destination = "/job:ps/replica:0/task:0/device:GPU:0"} : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] 'GPU:0' is no full device name}}
  %c = weir.send %x {tensor = "x", source = "/job:ps/replica:0/task:0/device:CPU:0", destination = "GPU:0"}
      : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f() {
  // receive_c2
  // expected-error@below {{[WEIR0070] 'GPU:0' is no full device name}}
  %x, %c = weir.receive {tensor = "x", source = "GPU:0", destination = "/job:ps/replica:0/task:0/device:CPU:0"}
      : () -> (tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // send_c2
  // expected-error@below {{[WEIR0070] source and destination are both '/job:ps/replica:0/task:0/device:CPU:0'; nothing has to be sent}}
  %c = weir.send %x {tensor = "x", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:ps/replica:0/task:0/device:CPU:0"} : (tensor<f32>) -> !weir.control
  weir.fetch
}

// -----

weir.graph @f() {
  // receive_c2
  // expected-error@below {{[WEIR0070] source and destination are both '/job:ps/replica:0/task:0/device:CPU:0'; nothing has to be sent}}
  %x, %c = weir.receive {tensor = "x", source = "/job:ps/replica:0/task:0/device:CPU:0",
        destination = "/job:ps/replica:0/task:0/device:CPU:0"} : () -> (tensor<f32>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>, %y: tensor<f32>) {
  // save_shard_c1
  // expected-error@below {{[WEIR0071] has 1 names for 2 values}}
  %r, %c = weir.save_shard %p, %x, %y {names = ["x"], shard = 0 : i64, shards = 2 : i64}
      : (tensor<!weir.string>, tensor<f32>, tensor<f32>) -> (tensor<!weir.string>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>, %y: tensor<f32>) {
  // save_shard_c1
  // expected-error@below {{[WEIR0071] names are unique and not empty, got "x"}}
  %r, %c = weir.save_shard %p, %x, %y {names = ["x", "x"], shard = 0 : i64, shards = 2 : i64}
      : (tensor<!weir.string>, tensor<f32>, tensor<f32>) -> (tensor<!weir.string>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>, %y: tensor<f32>) {
  // save_shard_c1
  // expected-error@below {{[WEIR0071] names are unique and not empty, got ""}}
  %r, %c = weir.save_shard %p, %x, %y {names = ["x", ""], shard = 0 : i64, shards = 2 : i64}
      : (tensor<!weir.string>, tensor<f32>, tensor<f32>) -> (tensor<!weir.string>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>, %y: tensor<f32>) {
  // save_shard_c2
  // expected-error@below {{[WEIR0071] is shard 2 of 2, but shards are numbered 0 to 1}}
  %r, %c = weir.save_shard %p, %x, %y {names = ["x", "y"], shard = 2 : i64, shards = 2 : i64}
      : (tensor<!weir.string>, tensor<f32>, tensor<f32>) -> (tensor<!weir.string>, !weir.control)
  weir.fetch
}

// -----

weir.graph @f(%p: tensor<!weir.string>, %x: tensor<f32>, %y: tensor<f32>) {
  // save_shard_c2
  // expected-error@below {{[WEIR0071] is shard -1 of 2, but shards are numbered 0 to 1}}
  %r, %c = weir.save_shard %p, %x, %y {names = ["x", "y"], shard = -1 : i64, shards = 2 : i64}
      : (tensor<!weir.string>, tensor<f32>, tensor<f32>) -> (tensor<!weir.string>, !weir.control)
  weir.fetch
}
