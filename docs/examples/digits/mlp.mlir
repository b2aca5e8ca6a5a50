// A network of two dense layers that reads handwritten digits of 8 x 8 pixels.
//
//   64 pixels -> 256 neurons -> relu -> 10 classes
//
// Six entry points share the variables below. Nodes run in the order of their
// edges, not of the text: an `after(...)` is an edge without data.

module @digits_mlp {
  weir.variable @w1 : tensor<64x256xf32>
  weir.variable @b1 : tensor<256xf32>
  weir.variable @w2 : tensor<256x10xf32>
  weir.variable @b2 : tensor<10xf32>

  // What momentum remembers of earlier gradients.
  weir.variable @w1_velocity : tensor<64x256xf32>
  weir.variable @b1_velocity : tensor<256xf32>
  weir.variable @w2_velocity : tensor<256x10xf32>
  weir.variable @b2_velocity : tensor<10xf32>

  // Weights start uniform in ±sqrt(6 / inputs of a neuron), all else at zero.
  // Each seed gives the same numbers on every machine.
  weir.graph @init() {
    %half = weir.constant dense<0.5> : tensor<f32>

    %w1_seed = weir.constant dense<[1, 1]> : tensor<2xi64>
    %w1_range = weir.constant dense<0.612372458> : tensor<f32>
    %w1_uniform = weir.random_uniform %w1_seed {type = tensor<64x256xf32>} : (tensor<2xi64>) -> tensor<64x256xf32>
    %w1_centered = weir.sub %w1_uniform, %half : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
    %w1 = weir.mul %w1_centered, %w1_range : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>

    %w2_seed = weir.constant dense<[1, 2]> : tensor<2xi64>
    %w2_range = weir.constant dense<0.306186229> : tensor<f32>
    %w2_uniform = weir.random_uniform %w2_seed {type = tensor<256x10xf32>} : (tensor<2xi64>) -> tensor<256x10xf32>
    %w2_centered = weir.sub %w2_uniform, %half : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>
    %w2 = weir.mul %w2_centered, %w2_range : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>

    %zeros_w1 = weir.constant dense<0.0> : tensor<64x256xf32>
    %zeros_b1 = weir.constant dense<0.0> : tensor<256xf32>
    %zeros_w2 = weir.constant dense<0.0> : tensor<256x10xf32>
    %zeros_b2 = weir.constant dense<0.0> : tensor<10xf32>

    %c0 = weir.assign @w1, %w1 : tensor<64x256xf32>
    %c1 = weir.assign @b1, %zeros_b1 : tensor<256xf32>
    %c2 = weir.assign @w2, %w2 : tensor<256x10xf32>
    %c3 = weir.assign @b2, %zeros_b2 : tensor<10xf32>
    %c4 = weir.assign @w1_velocity, %zeros_w1 : tensor<64x256xf32>
    %c5 = weir.assign @b1_velocity, %zeros_b1 : tensor<256xf32>
    %c6 = weir.assign @w2_velocity, %zeros_w2 : tensor<256x10xf32>
    %c7 = weir.assign @b2_velocity, %zeros_b2 : tensor<10xf32>
    weir.fetch after(%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7)
  }

  // One step of gradient descent with momentum 0.9 and rate 0.1.
  weir.graph @train(%x: tensor<?x64xf32> {weir.name = "x"}, %y: tensor<?xi32> {weir.name = "y"})
      -> (tensor<f32> {weir.name = "loss"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>

    // Forward.
    %product1 = weir.matmul %x, %w1 : (tensor<?x64xf32>, tensor<64x256xf32>) -> tensor<?x256xf32>
    %sum1 = weir.add %product1, %b1 : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %h1 = weir.relu %sum1 : (tensor<?x256xf32>) -> tensor<?x256xf32>
    %product2 = weir.matmul %h1, %w2 : (tensor<?x256xf32>, tensor<256x10xf32>) -> tensor<?x10xf32>
    %logits = weir.add %product2, %b2 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>

    // What is trained on is 0.9 of that loss and 0.1 of the mean loss over all
    // classes (label smoothing): it keeps the network from being too sure of
    // the 1,438 examples it has seen.
    %log_p = weir.log_softmax %logits : (tensor<?x10xf32>) -> tensor<?x10xf32>
    %mean_log_p = weir.reduce_mean %log_p {axes = array<i64: 0, 1>} : (tensor<?x10xf32>) -> tensor<f32>
    %truth = weir.constant dense<0.9> : tensor<f32>
    %doubt = weir.constant dense<0.1> : tensor<f32>
    %truth_part = weir.mul %loss, %truth : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %doubt_part = weir.mul %mean_log_p, %doubt : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %objective = weir.sub %truth_part, %doubt_part : (tensor<f32>, tensor<f32>) -> tensor<f32>

    // Backward: the compiler expands this node.
    %dw1, %db1, %dw2, %db2 = weir.gradients %objective wrt(%w1, %b1, %w2, %b2)
      : (tensor<f32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>)
      -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>)

    // velocity = momentum * velocity + gradient; variable -= rate * velocity
    %momentum = weir.constant dense<0.9> : tensor<f32>
    %rate = weir.constant dense<0.1> : tensor<f32>

    %v_w1, %read_v_w1 = weir.read @w1_velocity : tensor<64x256xf32>
    %kept_w1 = weir.mul %v_w1, %momentum : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
    %next_w1 = weir.add %kept_w1, %dw1 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %step_w1 = weir.mul %next_w1, %rate : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
    %put_v_w1 = weir.assign @w1_velocity, %next_w1 after(%read_v_w1) : tensor<64x256xf32>
    %put_w1 = weir.assign_sub @w1, %step_w1 after(%read_w1) : tensor<64x256xf32>

    %v_b1, %read_v_b1 = weir.read @b1_velocity : tensor<256xf32>
    %kept_b1 = weir.mul %v_b1, %momentum : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
    %next_b1 = weir.add %kept_b1, %db1 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %step_b1 = weir.mul %next_b1, %rate : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
    %put_v_b1 = weir.assign @b1_velocity, %next_b1 after(%read_v_b1) : tensor<256xf32>
    %put_b1 = weir.assign_sub @b1, %step_b1 after(%read_b1) : tensor<256xf32>

    %v_w2, %read_v_w2 = weir.read @w2_velocity : tensor<256x10xf32>
    %kept_w2 = weir.mul %v_w2, %momentum : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>
    %next_w2 = weir.add %kept_w2, %dw2 : (tensor<256x10xf32>, tensor<256x10xf32>) -> tensor<256x10xf32>
    %step_w2 = weir.mul %next_w2, %rate : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>
    %put_v_w2 = weir.assign @w2_velocity, %next_w2 after(%read_v_w2) : tensor<256x10xf32>
    %put_w2 = weir.assign_sub @w2, %step_w2 after(%read_w2) : tensor<256x10xf32>

    %v_b2, %read_v_b2 = weir.read @b2_velocity : tensor<10xf32>
    %kept_b2 = weir.mul %v_b2, %momentum : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %next_b2 = weir.add %kept_b2, %db2 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %step_b2 = weir.mul %next_b2, %rate : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %put_v_b2 = weir.assign @b2_velocity, %next_b2 after(%read_v_b2) : tensor<10xf32>
    %put_b2 = weir.assign_sub @b2, %step_b2 after(%read_b2) : tensor<10xf32>

    weir.fetch %loss after(%put_w1, %put_v_w1, %put_b1, %put_v_b1, %put_w2, %put_v_w2, %put_b2, %put_v_b2) : tensor<f32>
  }

  // The mean loss and the share of right answers.
  weir.graph @eval(%x: tensor<?x64xf32> {weir.name = "x"}, %y: tensor<?xi32> {weir.name = "y"})
      -> (tensor<f32> {weir.name = "accuracy"}, tensor<f32> {weir.name = "loss"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>

    %product1 = weir.matmul %x, %w1 : (tensor<?x64xf32>, tensor<64x256xf32>) -> tensor<?x256xf32>
    %sum1 = weir.add %product1, %b1 : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %h1 = weir.relu %sum1 : (tensor<?x256xf32>) -> tensor<?x256xf32>
    %product2 = weir.matmul %h1, %w2 : (tensor<?x256xf32>, tensor<256x10xf32>) -> tensor<?x10xf32>
    %logits = weir.add %product2, %b2 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>

    %class = weir.argmax %logits {axis = 1 : i64, to = i32} : (tensor<?x10xf32>) -> tensor<?xi32>
    %right = weir.compare %class, %y {predicate = #weir.compare<eq>} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %hits = weir.cast %right {to = f32} : (tensor<?xi1>) -> tensor<?xf32>
    %accuracy = weir.reduce_mean %hits {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    weir.fetch %accuracy, %loss : tensor<f32>, tensor<f32>
  }

  // The class of each image.
  weir.graph @predict(%x: tensor<?x64xf32> {weir.name = "x"}) -> (tensor<?xi32> {weir.name = "class"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>

    %product1 = weir.matmul %x, %w1 : (tensor<?x64xf32>, tensor<64x256xf32>) -> tensor<?x256xf32>
    %sum1 = weir.add %product1, %b1 : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %h1 = weir.relu %sum1 : (tensor<?x256xf32>) -> tensor<?x256xf32>
    %product2 = weir.matmul %h1, %w2 : (tensor<?x256xf32>, tensor<256x10xf32>) -> tensor<?x10xf32>
    %logits = weir.add %product2, %b2 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %class = weir.argmax %logits {axis = 1 : i64, to = i32} : (tensor<?x10xf32>) -> tensor<?xi32>
    weir.fetch %class : tensor<?xi32>
  }

  // A checkpoint holds the velocities too, so that training goes on from it as if it had never stopped.
  weir.graph @save(%path: tensor<!weir.string> {weir.name = "path"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>
    %w1_velocity, %read_w1_velocity = weir.read @w1_velocity : tensor<64x256xf32>
    %b1_velocity, %read_b1_velocity = weir.read @b1_velocity : tensor<256xf32>
    %w2_velocity, %read_w2_velocity = weir.read @w2_velocity : tensor<256x10xf32>
    %b2_velocity, %read_b2_velocity = weir.read @b2_velocity : tensor<10xf32>
    %saved = weir.save %path, %w1, %b1, %w2, %b2, %w1_velocity, %b1_velocity, %w2_velocity, %b2_velocity
      names ["w1", "b1", "w2", "b2", "w1_velocity", "b1_velocity", "w2_velocity", "b2_velocity"]
      : tensor<!weir.string>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>,
          tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>
    weir.fetch after(%saved)
  }

  weir.graph @restore(%path: tensor<!weir.string> {weir.name = "path"}) {
    %w1, %b1, %w2, %b2, %w1_velocity, %b1_velocity, %w2_velocity, %b2_velocity, %restored = weir.restore %path
      names ["w1", "b1", "w2", "b2", "w1_velocity", "b1_velocity", "w2_velocity", "b2_velocity"]
      : tensor<!weir.string> -> tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>,
          tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>
    %put_w1 = weir.assign @w1, %w1 : tensor<64x256xf32>
    %put_b1 = weir.assign @b1, %b1 : tensor<256xf32>
    %put_w2 = weir.assign @w2, %w2 : tensor<256x10xf32>
    %put_b2 = weir.assign @b2, %b2 : tensor<10xf32>
    %put_w1_velocity = weir.assign @w1_velocity, %w1_velocity : tensor<64x256xf32>
    %put_b1_velocity = weir.assign @b1_velocity, %b1_velocity : tensor<256xf32>
    %put_w2_velocity = weir.assign @w2_velocity, %w2_velocity : tensor<256x10xf32>
    %put_b2_velocity = weir.assign @b2_velocity, %b2_velocity : tensor<10xf32>
    weir.fetch after(%put_w1, %put_b1, %put_w2, %put_b2, %put_w1_velocity, %put_b1_velocity, %put_w2_velocity,
        %put_b2_velocity)
  }
}
