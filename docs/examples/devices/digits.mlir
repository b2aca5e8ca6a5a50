// A small convolutional network that reads handwritten digits, over several
// devices: its examples come out of a queue on the CPU, and all else is where
// #net says.
//
//   image -> conv 3x3, 16 -> relu -> max pool 2x2 -> conv 3x3, 32 -> relu -> 10 classes
//
// Only variables and the gradients' first nodes name a device: what has none
// goes to where most of its operands are, gradients to the nodes that they are
// of, and updates to their variables.

#cpu = "/device:CPU:0"
#net = "/device:GPU:0"

module @digits_devices {
  weir.variable @k1 : tensor<3x3x1x16xf32> {weir.device = #net}
  weir.variable @b1 : tensor<16xf32> {weir.device = #net}
  weir.variable @k2 : tensor<3x3x16x32xf32> {weir.device = #net}
  weir.variable @b2 : tensor<32xf32> {weir.device = #net}
  weir.variable @w3 : tensor<512x10xf32> {weir.device = #net}
  weir.variable @b3 : tensor<10xf32> {weir.device = #net}

  // What momentum remembers of earlier gradients.
  weir.variable @k1_velocity : tensor<3x3x1x16xf32> {weir.device = #net}
  weir.variable @b1_velocity : tensor<16xf32> {weir.device = #net}
  weir.variable @k2_velocity : tensor<3x3x16x32xf32> {weir.device = #net}
  weir.variable @b2_velocity : tensor<32xf32> {weir.device = #net}
  weir.variable @w3_velocity : tensor<512x10xf32> {weir.device = #net}
  weir.variable @b3_velocity : tensor<10xf32> {weir.device = #net}

  // The examples, the row at which the next batch begins, and batches that wait.
  weir.variable @x : tensor<1438x64xf32> {weir.device = #cpu}
  weir.variable @y : tensor<1438xi32> {weir.device = #cpu}
  weir.variable @row : tensor<i64> {weir.device = #cpu}
  weir.queue @batches capacity 4 of tensor<32x64xf32>, tensor<32xi32> {weir.device = #cpu}

  // Weights start uniform in ±sqrt(6 / inputs of a neuron), all else at zero.
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

  // The examples, once.
  weir.graph @load(%x: tensor<1438x64xf32> {weir.name = "x"}, %y: tensor<1438xi32> {weir.name = "y"}) {
    %zero = weir.constant dense<0> : tensor<i64>
    %put_x = weir.assign @x, %x : tensor<1438x64xf32>
    %put_y = weir.assign @y, %y : tensor<1438xi32>
    %put_row = weir.assign @row, %zero : tensor<i64>
    weir.fetch after(%put_x, %put_y, %put_row)
  }

  // Puts the next batch into the queue: 32 examples; after the last comes the
  // first. A runner does this while steps of @train take them out.
  weir.graph @fill() {
    %rows = weir.constant dense<1438> : tensor<i64>
    %batch = weir.constant dense<32> : tensor<i64>
    %row, %read_row = weir.read @row : tensor<i64>
    %places = weir.iota {axis = 0 : i64, type = tensor<32xi64>} : () -> tensor<32xi64>
    %ahead = weir.add %places, %row : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %around = weir.sub %ahead, %rows : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %is_over = weir.compare %ahead, %rows {predicate = #weir.compare<ge>} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
    %chosen = weir.select %is_over, %around, %ahead : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
    %all_x, %read_x = weir.read @x : tensor<1438x64xf32>
    %all_y, %read_y = weir.read @y : tensor<1438xi32>
    %x = weir.gather %all_x, %chosen {axis = 0 : i64} : (tensor<1438x64xf32>, tensor<32xi64>) -> tensor<32x64xf32>
    %y = weir.gather %all_y, %chosen {axis = 0 : i64} : (tensor<1438xi32>, tensor<32xi64>) -> tensor<32xi32>
    %batches = weir.handle @batches
    %put = weir.enqueue %batches, %x, %y : (!weir.resource, tensor<32x64xf32>, tensor<32xi32>) -> !weir.control

    %row_ahead = weir.add %row, %batch : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row_around = weir.sub %row_ahead, %rows : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %is_row_over = weir.compare %row_ahead, %rows {predicate = #weir.compare<ge>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next_row = weir.select %is_row_over, %row_around, %row_ahead : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %put_row = weir.assign @row, %next_row after(%read_row) : tensor<i64>
    weir.fetch after(%put, %put_row)
  }

  // One step of gradient descent with momentum 0.9 and rate 0.05.
  weir.graph @train() -> (tensor<f32> {weir.name = "loss"}) {
    %batches = weir.handle @batches
    %x, %y, %taken = weir.dequeue %batches : (!weir.resource) -> (tensor<32x64xf32>, tensor<32xi32>, !weir.control)
    %k1, %read_k1 = weir.read @k1 : tensor<3x3x1x16xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<16xf32>
    %k2, %read_k2 = weir.read @k2 : tensor<3x3x16x32xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<32xf32>
    %w3, %read_w3 = weir.read @w3 : tensor<512x10xf32>
    %b3, %read_b3 = weir.read @b3 : tensor<10xf32>

    // Forward.
    %image = weir.reshape %x {shape = array<i64: 32, 8, 8, 1>, weir.device = #net} : (tensor<32x64xf32>) -> tensor<32x8x8x1xf32>
    %conv1 = weir.conv2d %image, %k1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>, weir.device = #net}
      : (tensor<32x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<32x8x8x16xf32>
    %sum1 = weir.add %conv1, %b1 {weir.device = #net} : (tensor<32x8x8x16xf32>, tensor<16xf32>) -> tensor<32x8x8x16xf32>
    %h1 = weir.relu %sum1 {weir.device = #net} : (tensor<32x8x8x16xf32>) -> tensor<32x8x8x16xf32>
    %pool = weir.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>, weir.device = #net}
      : (tensor<32x8x8x16xf32>) -> tensor<32x4x4x16xf32>
    %conv2 = weir.conv2d %pool, %k2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>, weir.device = #net}
      : (tensor<32x4x4x16xf32>, tensor<3x3x16x32xf32>) -> tensor<32x4x4x32xf32>
    %sum2 = weir.add %conv2, %b2 {weir.device = #net} : (tensor<32x4x4x32xf32>, tensor<32xf32>) -> tensor<32x4x4x32xf32>
    %h2 = weir.relu %sum2 {weir.device = #net} : (tensor<32x4x4x32xf32>) -> tensor<32x4x4x32xf32>
    %flat = weir.reshape %h2 {shape = array<i64: 32, 512>, weir.device = #net} : (tensor<32x4x4x32xf32>) -> tensor<32x512xf32>
    %product3 = weir.matmul %flat, %w3 {weir.device = #net} : (tensor<32x512xf32>, tensor<512x10xf32>) -> tensor<32x10xf32>
    %logits = weir.add %product3, %b3 {weir.device = #net} : (tensor<32x10xf32>, tensor<10xf32>) -> tensor<32x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y {weir.device = #net} : (tensor<32x10xf32>, tensor<32xi32>) -> tensor<32xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>, weir.device = #net} : (tensor<32xf32>) -> tensor<f32>

    // What is trained on is 0.9 of that loss and 0.1 of the mean loss over all
    // classes (label smoothing).
    %log_p = weir.log_softmax %logits {weir.device = #net} : (tensor<32x10xf32>) -> tensor<32x10xf32>
    %mean_log_p = weir.reduce_mean %log_p {axes = array<i64: 0, 1>, weir.device = #net} : (tensor<32x10xf32>) -> tensor<f32>
    %truth = weir.constant dense<0.9> : tensor<f32>
    %doubt = weir.constant dense<0.1> : tensor<f32>
    %truth_part = weir.mul %loss, %truth {weir.device = #net} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %doubt_part = weir.mul %mean_log_p, %doubt {weir.device = #net} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %objective = weir.sub %truth_part, %doubt_part {weir.device = #net} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    // Backward: the compiler expands this node.
    %dk1, %db1, %dk2, %db2, %dw3, %db3 = weir.gradients %objective wrt(%k1, %b1, %k2, %b2, %w3, %b3) {weir.device = #net}
      : (tensor<f32>, tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>, tensor<512x10xf32>, tensor<10xf32>)
      -> (tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>, tensor<512x10xf32>, tensor<10xf32>)

    // velocity = momentum * velocity + gradient; variable -= rate * velocity
    %momentum = weir.constant dense<0.9> : tensor<f32>
    %rate = weir.constant dense<0.05> : tensor<f32>

    %v_k1, %read_v_k1 = weir.read @k1_velocity : tensor<3x3x1x16xf32>
    %kept_k1 = weir.mul %v_k1, %momentum : (tensor<3x3x1x16xf32>, tensor<f32>) -> tensor<3x3x1x16xf32>
    %next_k1 = weir.add %kept_k1, %dk1 : (tensor<3x3x1x16xf32>, tensor<3x3x1x16xf32>) -> tensor<3x3x1x16xf32>
    %change_k1 = weir.mul %next_k1, %rate : (tensor<3x3x1x16xf32>, tensor<f32>) -> tensor<3x3x1x16xf32>
    %put_v_k1 = weir.assign @k1_velocity, %next_k1 after(%read_v_k1) : tensor<3x3x1x16xf32>
    %put_k1 = weir.assign_sub @k1, %change_k1 after(%read_k1) : tensor<3x3x1x16xf32>

    %v_b1, %read_v_b1 = weir.read @b1_velocity : tensor<16xf32>
    %kept_b1 = weir.mul %v_b1, %momentum : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %next_b1 = weir.add %kept_b1, %db1 : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %change_b1 = weir.mul %next_b1, %rate : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %put_v_b1 = weir.assign @b1_velocity, %next_b1 after(%read_v_b1) : tensor<16xf32>
    %put_b1 = weir.assign_sub @b1, %change_b1 after(%read_b1) : tensor<16xf32>

    %v_k2, %read_v_k2 = weir.read @k2_velocity : tensor<3x3x16x32xf32>
    %kept_k2 = weir.mul %v_k2, %momentum : (tensor<3x3x16x32xf32>, tensor<f32>) -> tensor<3x3x16x32xf32>
    %next_k2 = weir.add %kept_k2, %dk2 : (tensor<3x3x16x32xf32>, tensor<3x3x16x32xf32>) -> tensor<3x3x16x32xf32>
    %change_k2 = weir.mul %next_k2, %rate : (tensor<3x3x16x32xf32>, tensor<f32>) -> tensor<3x3x16x32xf32>
    %put_v_k2 = weir.assign @k2_velocity, %next_k2 after(%read_v_k2) : tensor<3x3x16x32xf32>
    %put_k2 = weir.assign_sub @k2, %change_k2 after(%read_k2) : tensor<3x3x16x32xf32>

    %v_b2, %read_v_b2 = weir.read @b2_velocity : tensor<32xf32>
    %kept_b2 = weir.mul %v_b2, %momentum : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %next_b2 = weir.add %kept_b2, %db2 : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %change_b2 = weir.mul %next_b2, %rate : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %put_v_b2 = weir.assign @b2_velocity, %next_b2 after(%read_v_b2) : tensor<32xf32>
    %put_b2 = weir.assign_sub @b2, %change_b2 after(%read_b2) : tensor<32xf32>

    %v_w3, %read_v_w3 = weir.read @w3_velocity : tensor<512x10xf32>
    %kept_w3 = weir.mul %v_w3, %momentum : (tensor<512x10xf32>, tensor<f32>) -> tensor<512x10xf32>
    %next_w3 = weir.add %kept_w3, %dw3 : (tensor<512x10xf32>, tensor<512x10xf32>) -> tensor<512x10xf32>
    %change_w3 = weir.mul %next_w3, %rate : (tensor<512x10xf32>, tensor<f32>) -> tensor<512x10xf32>
    %put_v_w3 = weir.assign @w3_velocity, %next_w3 after(%read_v_w3) : tensor<512x10xf32>
    %put_w3 = weir.assign_sub @w3, %change_w3 after(%read_w3) : tensor<512x10xf32>

    %v_b3, %read_v_b3 = weir.read @b3_velocity : tensor<10xf32>
    %kept_b3 = weir.mul %v_b3, %momentum : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %next_b3 = weir.add %kept_b3, %db3 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %change_b3 = weir.mul %next_b3, %rate : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %put_v_b3 = weir.assign @b3_velocity, %next_b3 after(%read_v_b3) : tensor<10xf32>
    %put_b3 = weir.assign_sub @b3, %change_b3 after(%read_b3) : tensor<10xf32>

    weir.fetch %loss after(%put_k1, %put_v_k1, %put_b1, %put_v_b1, %put_k2, %put_v_k2, %put_b2, %put_v_b2, %put_w3, %put_v_w3, %put_b3, %put_v_b3) : tensor<f32>
  }

  // What the network makes of the 359 digits that it has not been trained on.
  weir.graph @predict(%x: tensor<359x64xf32> {weir.name = "x"})
      -> (tensor<359x10xf32> {weir.name = "logits"}, tensor<359xi32> {weir.name = "class"}) {
    %k1, %read_k1 = weir.read @k1 : tensor<3x3x1x16xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<16xf32>
    %k2, %read_k2 = weir.read @k2 : tensor<3x3x16x32xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<32xf32>
    %w3, %read_w3 = weir.read @w3 : tensor<512x10xf32>
    %b3, %read_b3 = weir.read @b3 : tensor<10xf32>
    %image = weir.reshape %x {shape = array<i64: 359, 8, 8, 1>, weir.device = #net} : (tensor<359x64xf32>) -> tensor<359x8x8x1xf32>
    %conv1 = weir.conv2d %image, %k1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>, weir.device = #net}
      : (tensor<359x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<359x8x8x16xf32>
    %sum1 = weir.add %conv1, %b1 {weir.device = #net} : (tensor<359x8x8x16xf32>, tensor<16xf32>) -> tensor<359x8x8x16xf32>
    %h1 = weir.relu %sum1 {weir.device = #net} : (tensor<359x8x8x16xf32>) -> tensor<359x8x8x16xf32>
    %pool = weir.max_pool %h1 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>, weir.device = #net}
      : (tensor<359x8x8x16xf32>) -> tensor<359x4x4x16xf32>
    %conv2 = weir.conv2d %pool, %k2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
        padding = #weir.padding<SAME>, weir.device = #net}
      : (tensor<359x4x4x16xf32>, tensor<3x3x16x32xf32>) -> tensor<359x4x4x32xf32>
    %sum2 = weir.add %conv2, %b2 {weir.device = #net} : (tensor<359x4x4x32xf32>, tensor<32xf32>) -> tensor<359x4x4x32xf32>
    %h2 = weir.relu %sum2 {weir.device = #net} : (tensor<359x4x4x32xf32>) -> tensor<359x4x4x32xf32>
    %flat = weir.reshape %h2 {shape = array<i64: 359, 512>, weir.device = #net} : (tensor<359x4x4x32xf32>) -> tensor<359x512xf32>
    %product3 = weir.matmul %flat, %w3 {weir.device = #net} : (tensor<359x512xf32>, tensor<512x10xf32>) -> tensor<359x10xf32>
    %logits = weir.add %product3, %b3 {weir.device = #net} : (tensor<359x10xf32>, tensor<10xf32>) -> tensor<359x10xf32>
    %class = weir.argmax %logits {axis = 1 : i64, to = i32, weir.device = #net} : (tensor<359x10xf32>) -> tensor<359xi32>
    weir.fetch %logits, %class : tensor<359x10xf32>, tensor<359xi32>
  }

  // What serving needs; training would need the velocities, too.
  weir.graph @save(%path: tensor<!weir.string> {weir.name = "path"}) {
    %k1, %read_k1 = weir.read @k1 : tensor<3x3x1x16xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<16xf32>
    %k2, %read_k2 = weir.read @k2 : tensor<3x3x16x32xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<32xf32>
    %w3, %read_w3 = weir.read @w3 : tensor<512x10xf32>
    %b3, %read_b3 = weir.read @b3 : tensor<10xf32>
    %saved = weir.save %path, %k1, %b1, %k2, %b2, %w3, %b3 names ["k1", "b1", "k2", "b2", "w3", "b3"]
      : tensor<!weir.string>, tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>, tensor<512x10xf32>, tensor<10xf32>
    weir.fetch after(%saved)
  }

  weir.graph @restore(%path: tensor<!weir.string> {weir.name = "path"}) {
    %k1, %b1, %k2, %b2, %w3, %b3, %restored = weir.restore %path names ["k1", "b1", "k2", "b2", "w3", "b3"]
      : tensor<!weir.string> -> tensor<3x3x1x16xf32>, tensor<16xf32>, tensor<3x3x16x32xf32>, tensor<32xf32>, tensor<512x10xf32>, tensor<10xf32>
    %put_k1 = weir.assign @k1, %k1 : tensor<3x3x1x16xf32>
    %put_b1 = weir.assign @b1, %b1 : tensor<16xf32>
    %put_k2 = weir.assign @k2, %k2 : tensor<3x3x16x32xf32>
    %put_b2 = weir.assign @b2, %b2 : tensor<32xf32>
    %put_w3 = weir.assign @w3, %w3 : tensor<512x10xf32>
    %put_b3 = weir.assign @b3, %b3 : tensor<10xf32>
    weir.fetch after(%put_k1, %put_b1, %put_k2, %put_b2, %put_w3, %put_b3)
  }
}
