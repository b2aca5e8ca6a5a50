// A small convolutional network that reads handwritten digits of 8 x 8 pixels.
//
//   image -> conv 3x3, 16 -> relu -> max pool 2x2 -> conv 3x3, 32 -> relu -> 10 classes
//
// Six entry points share the variables below. Nodes run in the order of their
// edges, not of the text: an `after(...)` is an edge without data.

module @digits_cnn {
  weir.variable @k1 : tensor<3x3x1x16xf32>
  weir.variable @b1 : tensor<16xf32>
  weir.variable @k2 : tensor<3x3x16x32xf32>
  weir.variable @b2 : tensor<32xf32>
  weir.variable @w3 : tensor<512x10xf32>
  weir.variable @b3 : tensor<10xf32>

  // What momentum remembers of earlier gradients.
  weir.variable @k1_velocity : tensor<3x3x1x16xf32>
  weir.variable @b1_velocity : tensor<16xf32>
  weir.variable @k2_velocity : tensor<3x3x16x32xf32>
  weir.variable @b2_velocity : tensor<32xf32>
  weir.variable @w3_velocity : tensor<512x10xf32>
  weir.variable @b3_velocity : tensor<10xf32>

  // Weights start uniform in ±sqrt(6 / inputs of a neuron), all else at zero.
  // Each seed gives the same numbers on every machine.
  weir.graph @init() {
    %half = weir.constant dense<0.5> : tensor<f32>

    %k1_seed = weir.constant dense<[1, 1]> : tensor<2xi64>
    %k1_range = weir.constant dense<1.63299322> : tensor<f32>
    %k1_uniform = weir.random_uniform %k1_seed {type = tensor<3x3x1x16xf32>} : (tensor<2xi64>) -> tensor<3x3x1x16xf32>
    %k1_centered = weir.sub %k1_uniform, %half : (tensor<3x3x1x16xf32>, tensor<f32>) -> tensor<3x3x1x16xf32>
    %k1 = weir.mul %k1_centered, %k1_range : (tensor<3x3x1x16xf32>, tensor<f32>) -> tensor<3x3x1x16xf32>

    %k2_seed = weir.constant dense<[1, 2]> : tensor<2xi64>
    %k2_range = weir.constant dense<0.408248305> : tensor<f32>
    %k2_uniform = weir.random_uniform %k2_seed {type = tensor<3x3x16x32xf32>} : (tensor<2xi64>) -> tensor<3x3x16x32xf32>
    %k2_centered = weir.sub %k2_uniform, %half : (tensor<3x3x16x32xf32>, tensor<f32>) -> tensor<3x3x16x32xf32>
    %k2 = weir.mul %k2_centered, %k2_range : (tensor<3x3x16x32xf32>, tensor<f32>) -> tensor<3x3x16x32xf32>

    %w3_seed = weir.constant dense<[1, 3]> : tensor<2xi64>
    %w3_range = weir.constant dense<0.216506347> : tensor<f32>
    %w3_uniform = weir.random_uniform %w3_seed {type = tensor<512x10xf32>} : (tensor<2xi64>) -> tensor<512x10xf32>
    %w3_centered = weir.sub %w3_uniform, %half : (tensor<512x10xf32>, tensor<f32>) -> tensor<512x10xf32>
    %w3 = weir.mul %w3_centered, %w3_range : (tensor<512x10xf32>, tensor<f32>) -> tensor<512x10xf32>

    %zeros_k1 = weir.constant dense<0.0> : tensor<3x3x1x16xf32>
    %zeros_b1 = weir.constant dense<0.0> : tensor<16xf32>
    %zeros_k2 = weir.constant dense<0.0> : tensor<3x3x16x32xf32>
    %zeros_b2 = weir.constant dense<0.0> : tensor<32xf32>
    %zeros_w3 = weir.constant dense<0.0> : tensor<512x10xf32>
    %zeros_b3 = weir.constant dense<0.0> : tensor<10xf32>

    %c0 = weir.assign @k1, %k1 : tensor<3x3x1x16xf32>
    %c1 = weir.assign @b1, %zeros_b1 : tensor<16xf32>
    %c2 = weir.assign @k2, %k2 : tensor<3x3x16x32xf32>
    %c3 = weir.assign @b2, %zeros_b2 : tensor<32xf32>
    %c4 = weir.assign @w3, %w3 : tensor<512x10xf32>
    %c5 = weir.assign @b3, %zeros_b3 : tensor<10xf32>
    %c6 = weir.assign @k1_velocity, %zeros_k1 : tensor<3x3x1x16xf32>
    %c7 = weir.assign @b1_velocity, %zeros_b1 : tensor<16xf32>
    %c8 = weir.assign @k2_velocity, %zeros_k2 : tensor<3x3x16x32xf32>
    %c9 = weir.assign @b2_velocity, %zeros_b2 : tensor<32xf32>
    %c10 = weir.assign @w3_velocity, %zeros_w3 : tensor<512x10xf32>
    %c11 = weir.assign @b3_velocity, %zeros_b3 : tensor<10xf32>
    weir.fetch after(%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11)
  }

  // One step of gradient descent with momentum 0.9 and rate 0.05.
  weir.graph @train(%x: tensor<?x64xf32> {weir.name = "x"}, %y: tensor<?xi32> {weir.name = "y"})
      -> (tensor<f32> {weir.name = "loss"}) {
    %k1, %read_k1 = weir.read @k1 : tensor<3x3x1x16xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<16xf32>
    %k2, %read_k2 = weir.read @k2 : tensor<3x3x16x32xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<32xf32>
    %w3, %read_w3 = weir.read @w3 : tensor<512x10xf32>
    %b3, %read_b3 = weir.read @b3 : tensor<10xf32>

    // Forward.
    %image = weir.reshape %x {shape = array<i64: -1, 8, 8, 1>} : (tensor<?x64xf32>) -> tensor<?x8x8x1xf32>
    %conv1 = weir.conv2d %image, %k1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32>
    %sum1 = weir.add %conv1, %b1 : (tensor<?x8x8x16xf32>, tensor<16xf32>) -> tensor<?x8x8x16xf32>
    %h1 = weir.relu %sum1 : (tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
    %pool = weir.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x16xf32>) -> tensor<?x4x4x16xf32>
    %conv2 = weir.conv2d %pool, %k2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>}
      : (tensor<?x4x4x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x4x4x32xf32>
    %sum2 = weir.add %conv2, %b2 : (tensor<?x4x4x32xf32>, tensor<32xf32>) -> tensor<?x4x4x32xf32>
    %h2 = weir.relu %sum2 : (tensor<?x4x4x32xf32>) -> tensor<?x4x4x32xf32>
    %flat = weir.reshape %h2 {shape = array<i64: -1, 512>} : (tensor<?x4x4x32xf32>) -> tensor<?x512xf32>
    %product3 = weir.matmul %flat, %w3 : (tensor<?x512xf32>, tensor<512x10xf32>) -> tensor<?x10xf32>
    %logits = weir.add %product3, %b3 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
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
    %dk1, %db1, %dk2, %db2, %dw3, %db3 = weir.gradients %objective wrt(%k1, %b1, %k2, %b2, %w3, %b3)
      : (tensor<f32>, tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>, tensor<512x10xf32>,
          tensor<10xf32>)
      -> (tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>, tensor<512x10xf32>,
          tensor<10xf32>)

    // velocity = momentum * velocity + gradient; variable -= rate * velocity
    %momentum = weir.constant dense<0.9> : tensor<f32>
    %rate = weir.constant dense<0.05> : tensor<f32>

    %v_k1, %read_v_k1 = weir.read @k1_velocity : tensor<3x3x1x16xf32>
    %kept_k1 = weir.mul %v_k1, %momentum : (tensor<3x3x1x16xf32>, tensor<f32>) -> tensor<3x3x1x16xf32>
    %next_k1 = weir.add %kept_k1, %dk1 : (tensor<3x3x1x16xf32>, tensor<3x3x1x16xf32>) -> tensor<3x3x1x16xf32>
    %step_k1 = weir.mul %next_k1, %rate : (tensor<3x3x1x16xf32>, tensor<f32>) -> tensor<3x3x1x16xf32>
    %put_v_k1 = weir.assign @k1_velocity, %next_k1 after(%read_v_k1) : tensor<3x3x1x16xf32>
    %put_k1 = weir.assign_sub @k1, %step_k1 after(%read_k1) : tensor<3x3x1x16xf32>

    %v_b1, %read_v_b1 = weir.read @b1_velocity : tensor<16xf32>
    %kept_b1 = weir.mul %v_b1, %momentum : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %next_b1 = weir.add %kept_b1, %db1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %step_b1 = weir.mul %next_b1, %rate : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %put_v_b1 = weir.assign @b1_velocity, %next_b1 after(%read_v_b1) : tensor<16xf32>
    %put_b1 = weir.assign_sub @b1, %step_b1 after(%read_b1) : tensor<16xf32>

    %v_k2, %read_v_k2 = weir.read @k2_velocity : tensor<3x3x16x32xf32>
    %kept_k2 = weir.mul %v_k2, %momentum : (tensor<3x3x16x32xf32>, tensor<f32>) -> tensor<3x3x16x32xf32>
    %next_k2 = weir.add %kept_k2, %dk2 : (tensor<3x3x16x32xf32>, tensor<3x3x16x32xf32>) -> tensor<3x3x16x32xf32>
    %step_k2 = weir.mul %next_k2, %rate : (tensor<3x3x16x32xf32>, tensor<f32>) -> tensor<3x3x16x32xf32>
    %put_v_k2 = weir.assign @k2_velocity, %next_k2 after(%read_v_k2) : tensor<3x3x16x32xf32>
    %put_k2 = weir.assign_sub @k2, %step_k2 after(%read_k2) : tensor<3x3x16x32xf32>

    %v_b2, %read_v_b2 = weir.read @b2_velocity : tensor<32xf32>
    %kept_b2 = weir.mul %v_b2, %momentum : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %next_b2 = weir.add %kept_b2, %db2 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %step_b2 = weir.mul %next_b2, %rate : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %put_v_b2 = weir.assign @b2_velocity, %next_b2 after(%read_v_b2) : tensor<32xf32>
    %put_b2 = weir.assign_sub @b2, %step_b2 after(%read_b2) : tensor<32xf32>

    %v_w3, %read_v_w3 = weir.read @w3_velocity : tensor<512x10xf32>
    %kept_w3 = weir.mul %v_w3, %momentum : (tensor<512x10xf32>, tensor<f32>) -> tensor<512x10xf32>
    %next_w3 = weir.add %kept_w3, %dw3 : (tensor<512x10xf32>, tensor<512x10xf32>) -> tensor<512x10xf32>
    %step_w3 = weir.mul %next_w3, %rate : (tensor<512x10xf32>, tensor<f32>) -> tensor<512x10xf32>
    %put_v_w3 = weir.assign @w3_velocity, %next_w3 after(%read_v_w3) : tensor<512x10xf32>
    %put_w3 = weir.assign_sub @w3, %step_w3 after(%read_w3) : tensor<512x10xf32>

    %v_b3, %read_v_b3 = weir.read @b3_velocity : tensor<10xf32>
    %kept_b3 = weir.mul %v_b3, %momentum : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %next_b3 = weir.add %kept_b3, %db3 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %step_b3 = weir.mul %next_b3, %rate : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %put_v_b3 = weir.assign @b3_velocity, %next_b3 after(%read_v_b3) : tensor<10xf32>
    %put_b3 = weir.assign_sub @b3, %step_b3 after(%read_b3) : tensor<10xf32>

    weir.fetch %loss after(%put_k1, %put_v_k1, %put_b1, %put_v_b1, %put_k2, %put_v_k2, %put_b2, %put_v_b2, %put_w3,
        %put_v_w3, %put_b3, %put_v_b3) : tensor<f32>
  }

  // The mean loss and the share of right answers.
  weir.graph @eval(%x: tensor<?x64xf32> {weir.name = "x"}, %y: tensor<?xi32> {weir.name = "y"})
      -> (tensor<f32> {weir.name = "accuracy"}, tensor<f32> {weir.name = "loss"}) {
    %k1, %read_k1 = weir.read @k1 : tensor<3x3x1x16xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<16xf32>
    %k2, %read_k2 = weir.read @k2 : tensor<3x3x16x32xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<32xf32>
    %w3, %read_w3 = weir.read @w3 : tensor<512x10xf32>
    %b3, %read_b3 = weir.read @b3 : tensor<10xf32>

    %image = weir.reshape %x {shape = array<i64: -1, 8, 8, 1>} : (tensor<?x64xf32>) -> tensor<?x8x8x1xf32>
    %conv1 = weir.conv2d %image, %k1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32>
    %sum1 = weir.add %conv1, %b1 : (tensor<?x8x8x16xf32>, tensor<16xf32>) -> tensor<?x8x8x16xf32>
    %h1 = weir.relu %sum1 : (tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
    %pool = weir.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x16xf32>) -> tensor<?x4x4x16xf32>
    %conv2 = weir.conv2d %pool, %k2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>}
      : (tensor<?x4x4x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x4x4x32xf32>
    %sum2 = weir.add %conv2, %b2 : (tensor<?x4x4x32xf32>, tensor<32xf32>) -> tensor<?x4x4x32xf32>
    %h2 = weir.relu %sum2 : (tensor<?x4x4x32xf32>) -> tensor<?x4x4x32xf32>
    %flat = weir.reshape %h2 {shape = array<i64: -1, 512>} : (tensor<?x4x4x32xf32>) -> tensor<?x512xf32>
    %product3 = weir.matmul %flat, %w3 : (tensor<?x512xf32>, tensor<512x10xf32>) -> tensor<?x10xf32>
    %logits = weir.add %product3, %b3 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
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
    %k1, %read_k1 = weir.read @k1 : tensor<3x3x1x16xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<16xf32>
    %k2, %read_k2 = weir.read @k2 : tensor<3x3x16x32xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<32xf32>
    %w3, %read_w3 = weir.read @w3 : tensor<512x10xf32>
    %b3, %read_b3 = weir.read @b3 : tensor<10xf32>

    %image = weir.reshape %x {shape = array<i64: -1, 8, 8, 1>} : (tensor<?x64xf32>) -> tensor<?x8x8x1xf32>
    %conv1 = weir.conv2d %image, %k1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32>
    %sum1 = weir.add %conv1, %b1 : (tensor<?x8x8x16xf32>, tensor<16xf32>) -> tensor<?x8x8x16xf32>
    %h1 = weir.relu %sum1 : (tensor<?x8x8x16xf32>) -> tensor<?x8x8x16xf32>
    %pool = weir.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x16xf32>) -> tensor<?x4x4x16xf32>
    %conv2 = weir.conv2d %pool, %k2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>}
      : (tensor<?x4x4x16xf32>, tensor<3x3x16x32xf32>) -> tensor<?x4x4x32xf32>
    %sum2 = weir.add %conv2, %b2 : (tensor<?x4x4x32xf32>, tensor<32xf32>) -> tensor<?x4x4x32xf32>
    %h2 = weir.relu %sum2 : (tensor<?x4x4x32xf32>) -> tensor<?x4x4x32xf32>
    %flat = weir.reshape %h2 {shape = array<i64: -1, 512>} : (tensor<?x4x4x32xf32>) -> tensor<?x512xf32>
    %product3 = weir.matmul %flat, %w3 : (tensor<?x512xf32>, tensor<512x10xf32>) -> tensor<?x10xf32>
    %logits = weir.add %product3, %b3 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %class = weir.argmax %logits {axis = 1 : i64, to = i32} : (tensor<?x10xf32>) -> tensor<?xi32>
    weir.fetch %class : tensor<?xi32>
  }

  // A checkpoint holds the velocities too, so that training goes on from it as if it had never stopped.
  weir.graph @save(%path: tensor<!weir.string> {weir.name = "path"}) {
    %k1, %read_k1 = weir.read @k1 : tensor<3x3x1x16xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<16xf32>
    %k2, %read_k2 = weir.read @k2 : tensor<3x3x16x32xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<32xf32>
    %w3, %read_w3 = weir.read @w3 : tensor<512x10xf32>
    %b3, %read_b3 = weir.read @b3 : tensor<10xf32>
    %k1_velocity, %read_k1_velocity = weir.read @k1_velocity : tensor<3x3x1x16xf32>
    %b1_velocity, %read_b1_velocity = weir.read @b1_velocity : tensor<16xf32>
    %k2_velocity, %read_k2_velocity = weir.read @k2_velocity : tensor<3x3x16x32xf32>
    %b2_velocity, %read_b2_velocity = weir.read @b2_velocity : tensor<32xf32>
    %w3_velocity, %read_w3_velocity = weir.read @w3_velocity : tensor<512x10xf32>
    %b3_velocity, %read_b3_velocity = weir.read @b3_velocity : tensor<10xf32>
    %saved = weir.save %path, %k1, %b1, %k2, %b2, %w3, %b3, %k1_velocity, %b1_velocity, %k2_velocity, %b2_velocity,
        %w3_velocity, %b3_velocity
      names ["k1", "b1", "k2", "b2", "w3", "b3", "k1_velocity", "b1_velocity", "k2_velocity", "b2_velocity",
          "w3_velocity", "b3_velocity"]
      : tensor<!weir.string>, tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>,
          tensor<512x10xf32>, tensor<10xf32>, tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>,
          tensor<32xf32>, tensor<512x10xf32>, tensor<10xf32>
    weir.fetch after(%saved)
  }

  weir.graph @restore(%path: tensor<!weir.string> {weir.name = "path"}) {
    %k1, %b1, %k2, %b2, %w3, %b3, %k1_velocity, %b1_velocity, %k2_velocity, %b2_velocity, %w3_velocity, %b3_velocity,
        %restored = weir.restore %path
      names ["k1", "b1", "k2", "b2", "w3", "b3", "k1_velocity", "b1_velocity", "k2_velocity", "b2_velocity",
          "w3_velocity", "b3_velocity"]
      : tensor<!weir.string> -> tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>,
          tensor<512x10xf32>, tensor<10xf32>, tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>,
          tensor<32xf32>, tensor<512x10xf32>, tensor<10xf32>
    %put_k1 = weir.assign @k1, %k1 : tensor<3x3x1x16xf32>
    %put_b1 = weir.assign @b1, %b1 : tensor<16xf32>
    %put_k2 = weir.assign @k2, %k2 : tensor<3x3x16x32xf32>
    %put_b2 = weir.assign @b2, %b2 : tensor<32xf32>
    %put_w3 = weir.assign @w3, %w3 : tensor<512x10xf32>
    %put_b3 = weir.assign @b3, %b3 : tensor<10xf32>
    %put_k1_velocity = weir.assign @k1_velocity, %k1_velocity : tensor<3x3x1x16xf32>
    %put_b1_velocity = weir.assign @b1_velocity, %b1_velocity : tensor<16xf32>
    %put_k2_velocity = weir.assign @k2_velocity, %k2_velocity : tensor<3x3x16x32xf32>
    %put_b2_velocity = weir.assign @b2_velocity, %b2_velocity : tensor<32xf32>
    %put_w3_velocity = weir.assign @w3_velocity, %w3_velocity : tensor<512x10xf32>
    %put_b3_velocity = weir.assign @b3_velocity, %b3_velocity : tensor<10xf32>
    weir.fetch after(%put_k1, %put_b1, %put_k2, %put_b2, %put_w3, %put_b3, %put_k1_velocity, %put_b1_velocity,
        %put_k2_velocity, %put_b2_velocity, %put_w3_velocity, %put_b3_velocity)
  }
}
