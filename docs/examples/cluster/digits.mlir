// A network of two dense layers that reads handwritten digits, trained by two
// workers that share variables on two parameter servers.
//
//   64 pixels -> 256 neurons -> relu -> 10 classes
//
// Two ways to train, as chapter 4.4 of the TensorFlow paper (OSDI 2016) has
// them:
//
//   asynchronous  async0 and async1 run side by side. Each reads what the
//                 variables are just then and subtracts its gradients.
//   synchronous   sync0 and sync1 put gradients into accumulators; update takes
//                 the mean of two, changes the variables and lets both go on.
//
// Nodes without a device go to where most of their operands are, so only the
// state and what computes on a worker name theirs.

#ps0 = "/job:ps/task:0"
#ps1 = "/job:ps/task:1"
#worker0 = "/job:worker/task:0"
#worker1 = "/job:worker/task:1"

module @digits_cluster {
  // The model, in two shards.
  weir.variable @w1 : tensor<64x256xf32> {weir.device = #ps0}
  weir.variable @b1 : tensor<256xf32> {weir.device = #ps1}
  weir.variable @w2 : tensor<256x10xf32> {weir.device = #ps1}
  weir.variable @b2 : tensor<10xf32> {weir.device = #ps1}

  // What momentum remembers of earlier gradients (synchronous only), beside its variable.
  weir.variable @w1_velocity : tensor<64x256xf32> {weir.device = #ps0}
  weir.variable @b1_velocity : tensor<256xf32> {weir.device = #ps1}
  weir.variable @w2_velocity : tensor<256x10xf32> {weir.device = #ps1}
  weir.variable @b2_velocity : tensor<10xf32> {weir.device = #ps1}

  // How many steps the model has seen, and the row at which the next
  // synchronous batch begins.
  weir.variable @step : tensor<i64> {weir.device = #ps0}
  weir.variable @row : tensor<i64> {weir.device = #ps0}

  // Gradients of one step wait here for those of the other worker.
  weir.accumulator @w1_gradients : tensor<64x256xf32> {weir.device = #ps0}
  weir.accumulator @b1_gradients : tensor<256xf32> {weir.device = #ps1}
  weir.accumulator @w2_gradients : tensor<256x10xf32> {weir.device = #ps1}
  weir.accumulator @b2_gradients : tensor<10xf32> {weir.device = #ps1}

  // A token lets a worker do one synchronous step: its number, and the row of
  // its batch. Each worker has its own, so that none does the other's share.
  weir.queue @tokens_0 capacity 2 of tensor<i64>, tensor<i64> {weir.device = #ps0}
  weir.queue @tokens_1 capacity 2 of tensor<i64>, tensor<i64> {weir.device = #ps0}

  // Each worker has half of the examples, and the row at which its next
  // asynchronous batch begins.
  weir.variable @x_0 : tensor<719x64xf32> {weir.device = #worker0}
  weir.variable @y_0 : tensor<719xi32> {weir.device = #worker0}
  weir.variable @row_0 : tensor<i64> {weir.device = #worker0}
  weir.variable @x_1 : tensor<719x64xf32> {weir.device = #worker1}
  weir.variable @y_1 : tensor<719xi32> {weir.device = #worker1}
  weir.variable @row_1 : tensor<i64> {weir.device = #worker1}

  // Weights start uniform in ±sqrt(6 / inputs of a neuron), all else at zero.
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
    %zero = weir.constant dense<0> : tensor<i64>

    %c0 = weir.assign @w1, %w1 : tensor<64x256xf32>
    %c1 = weir.assign @b1, %zeros_b1 : tensor<256xf32>
    %c2 = weir.assign @w2, %w2 : tensor<256x10xf32>
    %c3 = weir.assign @b2, %zeros_b2 : tensor<10xf32>
    %c4 = weir.assign @w1_velocity, %zeros_w1 : tensor<64x256xf32>
    %c5 = weir.assign @b1_velocity, %zeros_b1 : tensor<256xf32>
    %c6 = weir.assign @w2_velocity, %zeros_w2 : tensor<256x10xf32>
    %c7 = weir.assign @b2_velocity, %zeros_b2 : tensor<10xf32>
    %c8 = weir.assign @step, %zero : tensor<i64>
    %c9 = weir.assign @row, %zero : tensor<i64>
    %c10 = weir.assign @row_0, %zero : tensor<i64>
    %c11 = weir.assign @row_1, %zero : tensor<i64>
    weir.fetch after(%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11)
  }

  // Half of the examples for each worker, once.
  weir.graph @load(%x: tensor<1438x64xf32> {weir.name = "x"}, %y: tensor<1438xi32> {weir.name = "y"}) {
    %x0 = weir.slice %x {begin = array<i64: 0, 0>, size = array<i64: 719, 64>, strides = array<i64: 1, 1>} : (tensor<1438x64xf32>) -> tensor<719x64xf32>
    %y0 = weir.slice %y {begin = array<i64: 0>, size = array<i64: 719>, strides = array<i64: 1>} : (tensor<1438xi32>) -> tensor<719xi32>
    %x1 = weir.slice %x {begin = array<i64: 719, 0>, size = array<i64: 719, 64>, strides = array<i64: 1, 1>} : (tensor<1438x64xf32>) -> tensor<719x64xf32>
    %y1 = weir.slice %y {begin = array<i64: 719>, size = array<i64: 719>, strides = array<i64: 1>} : (tensor<1438xi32>) -> tensor<719xi32>
    %put_x0 = weir.assign @x_0, %x0 : tensor<719x64xf32>
    %put_y0 = weir.assign @y_0, %y0 : tensor<719xi32>
    %put_x1 = weir.assign @x_1, %x1 : tensor<719x64xf32>
    %put_y1 = weir.assign @y_1, %y1 : tensor<719xi32>
    weir.fetch after(%put_x0, %put_y0, %put_x1, %put_y1)
  }

  // One asynchronous step of worker 0. Nothing orders it with those of worker
  // 1: the variables may change between the reads here and the updates.
  weir.graph @async0() -> (tensor<f32> {weir.name = "loss"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>
    %step, %read_step = weir.read @step : tensor<i64>
    %row, %read_row = weir.read @row_0 : tensor<i64>

    // The 32 examples from that row on; after the last comes the first.
    %rows = weir.constant dense<719> : tensor<i64>
    %places = weir.iota {axis = 0 : i64, type = tensor<32xi64>, weir.device = #worker0} : () -> tensor<32xi64>
    %ahead = weir.add %places, %row {weir.device = #worker0} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %around = weir.sub %ahead, %rows {weir.device = #worker0} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %is_over = weir.compare %ahead, %rows {predicate = #weir.compare<ge>, weir.device = #worker0} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
    %chosen = weir.select %is_over, %around, %ahead {weir.device = #worker0} : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
    %all_x, %read_x = weir.read @x_0 : tensor<719x64xf32>
    %all_y, %read_y = weir.read @y_0 : tensor<719xi32>
    %x = weir.gather %all_x, %chosen {axis = 0 : i64, weir.device = #worker0} : (tensor<719x64xf32>, tensor<32xi64>) -> tensor<32x64xf32>
    %y = weir.gather %all_y, %chosen {axis = 0 : i64, weir.device = #worker0} : (tensor<719xi32>, tensor<32xi64>) -> tensor<32xi32>

    %product1 = weir.matmul %x, %w1 {weir.device = #worker0} : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
    %sum1 = weir.add %product1, %b1 {weir.device = #worker0} : (tensor<32x256xf32>, tensor<256xf32>) -> tensor<32x256xf32>
    %h1 = weir.relu %sum1 {weir.device = #worker0} : (tensor<32x256xf32>) -> tensor<32x256xf32>
    %product2 = weir.matmul %h1, %w2 {weir.device = #worker0} : (tensor<32x256xf32>, tensor<256x10xf32>) -> tensor<32x10xf32>
    %logits = weir.add %product2, %b2 {weir.device = #worker0} : (tensor<32x10xf32>, tensor<10xf32>) -> tensor<32x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y {weir.device = #worker0} : (tensor<32x10xf32>, tensor<32xi32>) -> tensor<32xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>, weir.device = #worker0} : (tensor<32xf32>) -> tensor<f32>

    // What is trained on is 0.9 of that loss and 0.1 of the mean loss over all
    // classes (label smoothing).
    %log_p = weir.log_softmax %logits {weir.device = #worker0} : (tensor<32x10xf32>) -> tensor<32x10xf32>
    %mean_log_p = weir.reduce_mean %log_p {axes = array<i64: 0, 1>, weir.device = #worker0} : (tensor<32x10xf32>) -> tensor<f32>
    %truth = weir.constant dense<0.9> : tensor<f32>
    %doubt = weir.constant dense<0.1> : tensor<f32>
    %truth_part = weir.mul %loss, %truth {weir.device = #worker0} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %doubt_part = weir.mul %mean_log_p, %doubt {weir.device = #worker0} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %objective = weir.sub %truth_part, %doubt_part {weir.device = #worker0} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    // Gradients are where the nodes are that they belong to: on this worker.
    %dw1, %db1, %dw2, %db2 = weir.gradients %objective wrt(%w1, %b1, %w2, %b2) {weir.device = #worker0}
      : (tensor<f32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>) -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>)

    // The rate falls with the steps: 0.5 / (1 + step / 800).
    %one = weir.constant dense<1> : tensor<i64>
    %one_f = weir.constant dense<1.0> : tensor<f32>
    %first_rate = weir.constant dense<0.5> : tensor<f32>
    %slowness = weir.constant dense<0.00125> : tensor<f32>
    %step_f = weir.cast %step {to = f32} : (tensor<i64>) -> tensor<f32>
    %slower = weir.mul %step_f, %slowness : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %divisor = weir.add %slower, %one_f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %rate = weir.div %first_rate, %divisor : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %change_w1 = weir.mul %dw1, %rate {weir.device = #worker0} : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
    %change_b1 = weir.mul %db1, %rate {weir.device = #worker0} : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
    %change_w2 = weir.mul %dw2, %rate {weir.device = #worker0} : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>
    %change_b2 = weir.mul %db2, %rate {weir.device = #worker0} : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %put_w1 = weir.assign_sub @w1, %change_w1 after(%read_w1) : tensor<64x256xf32>
    %put_b1 = weir.assign_sub @b1, %change_b1 after(%read_b1) : tensor<256xf32>
    %put_w2 = weir.assign_sub @w2, %change_w2 after(%read_w2) : tensor<256x10xf32>
    %put_b2 = weir.assign_sub @b2, %change_b2 after(%read_b2) : tensor<10xf32>
    %put_step = weir.assign_add @step, %one after(%read_step) : tensor<i64>

    %batch = weir.constant dense<32> : tensor<i64>
    %row_ahead = weir.add %row, %batch : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row_around = weir.sub %row_ahead, %rows : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %is_row_over = weir.compare %row_ahead, %rows {predicate = #weir.compare<ge>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next_row = weir.select %is_row_over, %row_around, %row_ahead : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %put_row = weir.assign @row_0, %next_row after(%read_row) : tensor<i64>
    weir.fetch %loss after(%put_w1, %put_b1, %put_w2, %put_b2, %put_step, %put_row) : tensor<f32>
  }

  // The same of worker 1.
  weir.graph @async1() -> (tensor<f32> {weir.name = "loss"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>
    %step, %read_step = weir.read @step : tensor<i64>
    %row, %read_row = weir.read @row_1 : tensor<i64>

    // The 32 examples from that row on; after the last comes the first.
    %rows = weir.constant dense<719> : tensor<i64>
    %places = weir.iota {axis = 0 : i64, type = tensor<32xi64>, weir.device = #worker1} : () -> tensor<32xi64>
    %ahead = weir.add %places, %row {weir.device = #worker1} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %around = weir.sub %ahead, %rows {weir.device = #worker1} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %is_over = weir.compare %ahead, %rows {predicate = #weir.compare<ge>, weir.device = #worker1} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
    %chosen = weir.select %is_over, %around, %ahead {weir.device = #worker1} : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
    %all_x, %read_x = weir.read @x_1 : tensor<719x64xf32>
    %all_y, %read_y = weir.read @y_1 : tensor<719xi32>
    %x = weir.gather %all_x, %chosen {axis = 0 : i64, weir.device = #worker1} : (tensor<719x64xf32>, tensor<32xi64>) -> tensor<32x64xf32>
    %y = weir.gather %all_y, %chosen {axis = 0 : i64, weir.device = #worker1} : (tensor<719xi32>, tensor<32xi64>) -> tensor<32xi32>

    %product1 = weir.matmul %x, %w1 {weir.device = #worker1} : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
    %sum1 = weir.add %product1, %b1 {weir.device = #worker1} : (tensor<32x256xf32>, tensor<256xf32>) -> tensor<32x256xf32>
    %h1 = weir.relu %sum1 {weir.device = #worker1} : (tensor<32x256xf32>) -> tensor<32x256xf32>
    %product2 = weir.matmul %h1, %w2 {weir.device = #worker1} : (tensor<32x256xf32>, tensor<256x10xf32>) -> tensor<32x10xf32>
    %logits = weir.add %product2, %b2 {weir.device = #worker1} : (tensor<32x10xf32>, tensor<10xf32>) -> tensor<32x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y {weir.device = #worker1} : (tensor<32x10xf32>, tensor<32xi32>) -> tensor<32xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>, weir.device = #worker1} : (tensor<32xf32>) -> tensor<f32>
    %log_p = weir.log_softmax %logits {weir.device = #worker1} : (tensor<32x10xf32>) -> tensor<32x10xf32>
    %mean_log_p = weir.reduce_mean %log_p {axes = array<i64: 0, 1>, weir.device = #worker1} : (tensor<32x10xf32>) -> tensor<f32>
    %truth = weir.constant dense<0.9> : tensor<f32>
    %doubt = weir.constant dense<0.1> : tensor<f32>
    %truth_part = weir.mul %loss, %truth {weir.device = #worker1} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %doubt_part = weir.mul %mean_log_p, %doubt {weir.device = #worker1} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %objective = weir.sub %truth_part, %doubt_part {weir.device = #worker1} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %dw1, %db1, %dw2, %db2 = weir.gradients %objective wrt(%w1, %b1, %w2, %b2) {weir.device = #worker1}
      : (tensor<f32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>) -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>)

    %one = weir.constant dense<1> : tensor<i64>
    %one_f = weir.constant dense<1.0> : tensor<f32>
    %first_rate = weir.constant dense<0.5> : tensor<f32>
    %slowness = weir.constant dense<0.00125> : tensor<f32>
    %step_f = weir.cast %step {to = f32} : (tensor<i64>) -> tensor<f32>
    %slower = weir.mul %step_f, %slowness : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %divisor = weir.add %slower, %one_f : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %rate = weir.div %first_rate, %divisor : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %change_w1 = weir.mul %dw1, %rate {weir.device = #worker1} : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
    %change_b1 = weir.mul %db1, %rate {weir.device = #worker1} : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
    %change_w2 = weir.mul %dw2, %rate {weir.device = #worker1} : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>
    %change_b2 = weir.mul %db2, %rate {weir.device = #worker1} : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %put_w1 = weir.assign_sub @w1, %change_w1 after(%read_w1) : tensor<64x256xf32>
    %put_b1 = weir.assign_sub @b1, %change_b1 after(%read_b1) : tensor<256xf32>
    %put_w2 = weir.assign_sub @w2, %change_w2 after(%read_w2) : tensor<256x10xf32>
    %put_b2 = weir.assign_sub @b2, %change_b2 after(%read_b2) : tensor<10xf32>
    %put_step = weir.assign_add @step, %one after(%read_step) : tensor<i64>

    %batch = weir.constant dense<32> : tensor<i64>
    %row_ahead = weir.add %row, %batch : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row_around = weir.sub %row_ahead, %rows : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %is_row_over = weir.compare %row_ahead, %rows {predicate = #weir.compare<ge>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next_row = weir.select %is_row_over, %row_around, %row_ahead : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %put_row = weir.assign @row_1, %next_row after(%read_row) : tensor<i64>
    weir.fetch %loss after(%put_w1, %put_b1, %put_w2, %put_b2, %put_step, %put_row) : tensor<f32>
  }

  // Synchronous steps begin: both workers get their token for the step that the
  // variables are at. Runs once, after init or restore.
  weir.graph @start() {
    %step, %read_step = weir.read @step : tensor<i64>
    %row, %read_row = weir.read @row : tensor<i64>
    %a_w1 = weir.handle @w1_gradients
    %at_w1 = weir.accumulator_set_step %a_w1, %step : (!weir.resource, tensor<i64>) -> !weir.control
    %a_b1 = weir.handle @b1_gradients
    %at_b1 = weir.accumulator_set_step %a_b1, %step : (!weir.resource, tensor<i64>) -> !weir.control
    %a_w2 = weir.handle @w2_gradients
    %at_w2 = weir.accumulator_set_step %a_w2, %step : (!weir.resource, tensor<i64>) -> !weir.control
    %a_b2 = weir.handle @b2_gradients
    %at_b2 = weir.accumulator_set_step %a_b2, %step : (!weir.resource, tensor<i64>) -> !weir.control
    %tokens0 = weir.handle @tokens_0
    %go0 = weir.enqueue %tokens0, %step, %row after(%at_w1, %at_b1, %at_w2, %at_b2) : (!weir.resource, tensor<i64>, tensor<i64>) -> !weir.control
    %tokens1 = weir.handle @tokens_1
    %go1 = weir.enqueue %tokens1, %step, %row after(%at_w1, %at_b1, %at_w2, %at_b2) : (!weir.resource, tensor<i64>, tensor<i64>) -> !weir.control
    weir.fetch after(%go0, %go1)
  }

  // One synchronous step of worker 0: waits for its token, reads the variables,
  // which stay as they are until both workers are done, and leaves its gradients.
  weir.graph @sync0() -> (tensor<f32> {weir.name = "loss"}) {
    %tokens = weir.handle @tokens_0
    %step, %row, %go = weir.dequeue %tokens : (!weir.resource) -> (tensor<i64>, tensor<i64>, !weir.control)
    %w1, %read_w1 = weir.read @w1 after(%go) : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 after(%go) : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 after(%go) : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 after(%go) : tensor<10xf32>

    // The 32 examples from that row on; after the last comes the first.
    %rows = weir.constant dense<719> : tensor<i64>
    %places = weir.iota {axis = 0 : i64, type = tensor<32xi64>, weir.device = #worker0} : () -> tensor<32xi64>
    %ahead = weir.add %places, %row {weir.device = #worker0} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %around = weir.sub %ahead, %rows {weir.device = #worker0} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %is_over = weir.compare %ahead, %rows {predicate = #weir.compare<ge>, weir.device = #worker0} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
    %chosen = weir.select %is_over, %around, %ahead {weir.device = #worker0} : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
    %all_x, %read_x = weir.read @x_0 : tensor<719x64xf32>
    %all_y, %read_y = weir.read @y_0 : tensor<719xi32>
    %x = weir.gather %all_x, %chosen {axis = 0 : i64, weir.device = #worker0} : (tensor<719x64xf32>, tensor<32xi64>) -> tensor<32x64xf32>
    %y = weir.gather %all_y, %chosen {axis = 0 : i64, weir.device = #worker0} : (tensor<719xi32>, tensor<32xi64>) -> tensor<32xi32>

    %product1 = weir.matmul %x, %w1 {weir.device = #worker0} : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
    %sum1 = weir.add %product1, %b1 {weir.device = #worker0} : (tensor<32x256xf32>, tensor<256xf32>) -> tensor<32x256xf32>
    %h1 = weir.relu %sum1 {weir.device = #worker0} : (tensor<32x256xf32>) -> tensor<32x256xf32>
    %product2 = weir.matmul %h1, %w2 {weir.device = #worker0} : (tensor<32x256xf32>, tensor<256x10xf32>) -> tensor<32x10xf32>
    %logits = weir.add %product2, %b2 {weir.device = #worker0} : (tensor<32x10xf32>, tensor<10xf32>) -> tensor<32x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y {weir.device = #worker0} : (tensor<32x10xf32>, tensor<32xi32>) -> tensor<32xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>, weir.device = #worker0} : (tensor<32xf32>) -> tensor<f32>
    %log_p = weir.log_softmax %logits {weir.device = #worker0} : (tensor<32x10xf32>) -> tensor<32x10xf32>
    %mean_log_p = weir.reduce_mean %log_p {axes = array<i64: 0, 1>, weir.device = #worker0} : (tensor<32x10xf32>) -> tensor<f32>
    %truth = weir.constant dense<0.9> : tensor<f32>
    %doubt = weir.constant dense<0.1> : tensor<f32>
    %truth_part = weir.mul %loss, %truth {weir.device = #worker0} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %doubt_part = weir.mul %mean_log_p, %doubt {weir.device = #worker0} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %objective = weir.sub %truth_part, %doubt_part {weir.device = #worker0} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %dw1, %db1, %dw2, %db2 = weir.gradients %objective wrt(%w1, %b1, %w2, %b2) {weir.device = #worker0}
      : (tensor<f32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>) -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>)

    %a_w1 = weir.handle @w1_gradients
    %put_w1 = weir.accumulator_apply %a_w1, %step, %dw1 : (!weir.resource, tensor<i64>, tensor<64x256xf32>) -> !weir.control
    %a_b1 = weir.handle @b1_gradients
    %put_b1 = weir.accumulator_apply %a_b1, %step, %db1 : (!weir.resource, tensor<i64>, tensor<256xf32>) -> !weir.control
    %a_w2 = weir.handle @w2_gradients
    %put_w2 = weir.accumulator_apply %a_w2, %step, %dw2 : (!weir.resource, tensor<i64>, tensor<256x10xf32>) -> !weir.control
    %a_b2 = weir.handle @b2_gradients
    %put_b2 = weir.accumulator_apply %a_b2, %step, %db2 : (!weir.resource, tensor<i64>, tensor<10xf32>) -> !weir.control
    weir.fetch %loss after(%put_w1, %put_b1, %put_w2, %put_b2) : tensor<f32>
  }

  // The same of worker 1.
  weir.graph @sync1() -> (tensor<f32> {weir.name = "loss"}) {
    %tokens = weir.handle @tokens_1
    %step, %row, %go = weir.dequeue %tokens : (!weir.resource) -> (tensor<i64>, tensor<i64>, !weir.control)
    %w1, %read_w1 = weir.read @w1 after(%go) : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 after(%go) : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 after(%go) : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 after(%go) : tensor<10xf32>

    // The 32 examples from that row on; after the last comes the first.
    %rows = weir.constant dense<719> : tensor<i64>
    %places = weir.iota {axis = 0 : i64, type = tensor<32xi64>, weir.device = #worker1} : () -> tensor<32xi64>
    %ahead = weir.add %places, %row {weir.device = #worker1} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %around = weir.sub %ahead, %rows {weir.device = #worker1} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi64>
    %is_over = weir.compare %ahead, %rows {predicate = #weir.compare<ge>, weir.device = #worker1} : (tensor<32xi64>, tensor<i64>) -> tensor<32xi1>
    %chosen = weir.select %is_over, %around, %ahead {weir.device = #worker1} : (tensor<32xi1>, tensor<32xi64>, tensor<32xi64>) -> tensor<32xi64>
    %all_x, %read_x = weir.read @x_1 : tensor<719x64xf32>
    %all_y, %read_y = weir.read @y_1 : tensor<719xi32>
    %x = weir.gather %all_x, %chosen {axis = 0 : i64, weir.device = #worker1} : (tensor<719x64xf32>, tensor<32xi64>) -> tensor<32x64xf32>
    %y = weir.gather %all_y, %chosen {axis = 0 : i64, weir.device = #worker1} : (tensor<719xi32>, tensor<32xi64>) -> tensor<32xi32>

    %product1 = weir.matmul %x, %w1 {weir.device = #worker1} : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
    %sum1 = weir.add %product1, %b1 {weir.device = #worker1} : (tensor<32x256xf32>, tensor<256xf32>) -> tensor<32x256xf32>
    %h1 = weir.relu %sum1 {weir.device = #worker1} : (tensor<32x256xf32>) -> tensor<32x256xf32>
    %product2 = weir.matmul %h1, %w2 {weir.device = #worker1} : (tensor<32x256xf32>, tensor<256x10xf32>) -> tensor<32x10xf32>
    %logits = weir.add %product2, %b2 {weir.device = #worker1} : (tensor<32x10xf32>, tensor<10xf32>) -> tensor<32x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y {weir.device = #worker1} : (tensor<32x10xf32>, tensor<32xi32>) -> tensor<32xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>, weir.device = #worker1} : (tensor<32xf32>) -> tensor<f32>
    %log_p = weir.log_softmax %logits {weir.device = #worker1} : (tensor<32x10xf32>) -> tensor<32x10xf32>
    %mean_log_p = weir.reduce_mean %log_p {axes = array<i64: 0, 1>, weir.device = #worker1} : (tensor<32x10xf32>) -> tensor<f32>
    %truth = weir.constant dense<0.9> : tensor<f32>
    %doubt = weir.constant dense<0.1> : tensor<f32>
    %truth_part = weir.mul %loss, %truth {weir.device = #worker1} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %doubt_part = weir.mul %mean_log_p, %doubt {weir.device = #worker1} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %objective = weir.sub %truth_part, %doubt_part {weir.device = #worker1} : (tensor<f32>, tensor<f32>) -> tensor<f32>

    %dw1, %db1, %dw2, %db2 = weir.gradients %objective wrt(%w1, %b1, %w2, %b2) {weir.device = #worker1}
      : (tensor<f32>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>) -> (tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>)

    %a_w1 = weir.handle @w1_gradients
    %put_w1 = weir.accumulator_apply %a_w1, %step, %dw1 : (!weir.resource, tensor<i64>, tensor<64x256xf32>) -> !weir.control
    %a_b1 = weir.handle @b1_gradients
    %put_b1 = weir.accumulator_apply %a_b1, %step, %db1 : (!weir.resource, tensor<i64>, tensor<256xf32>) -> !weir.control
    %a_w2 = weir.handle @w2_gradients
    %put_w2 = weir.accumulator_apply %a_w2, %step, %dw2 : (!weir.resource, tensor<i64>, tensor<256x10xf32>) -> !weir.control
    %a_b2 = weir.handle @b2_gradients
    %put_b2 = weir.accumulator_apply %a_b2, %step, %db2 : (!weir.resource, tensor<i64>, tensor<10xf32>) -> !weir.control
    weir.fetch %loss after(%put_w1, %put_b1, %put_w2, %put_b2) : tensor<f32>
  }

  // Ends one synchronous step: takes the mean of both workers' gradients, as
  // soon as they are there, and goes one step down with momentum 0.9 and rate
  // 0.1. All of it happens on the parameter servers. Then the workers get their
  // tokens for the next step.
  weir.graph @update() -> (tensor<i64> {weir.name = "step"}) {
    %two = weir.constant dense<2> : tensor<i32>
    %momentum = weir.constant dense<0.9> : tensor<f32>
    %rate = weir.constant dense<0.1> : tensor<f32>

    %a_w1 = weir.handle @w1_gradients
    %dw1, %took_w1 = weir.accumulator_take %a_w1, %two : (!weir.resource, tensor<i32>) -> (tensor<64x256xf32>, !weir.control)
    %v_w1, %read_v_w1 = weir.read @w1_velocity : tensor<64x256xf32>
    %kept_w1 = weir.mul %v_w1, %momentum : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
    %next_w1 = weir.add %kept_w1, %dw1 : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %change_w1 = weir.mul %next_w1, %rate : (tensor<64x256xf32>, tensor<f32>) -> tensor<64x256xf32>
    %put_v_w1 = weir.assign @w1_velocity, %next_w1 after(%read_v_w1) : tensor<64x256xf32>
    %put_w1 = weir.assign_sub @w1, %change_w1 : tensor<64x256xf32>

    %a_b1 = weir.handle @b1_gradients
    %db1, %took_b1 = weir.accumulator_take %a_b1, %two : (!weir.resource, tensor<i32>) -> (tensor<256xf32>, !weir.control)
    %v_b1, %read_v_b1 = weir.read @b1_velocity : tensor<256xf32>
    %kept_b1 = weir.mul %v_b1, %momentum : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
    %next_b1 = weir.add %kept_b1, %db1 : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %change_b1 = weir.mul %next_b1, %rate : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
    %put_v_b1 = weir.assign @b1_velocity, %next_b1 after(%read_v_b1) : tensor<256xf32>
    %put_b1 = weir.assign_sub @b1, %change_b1 : tensor<256xf32>

    %a_w2 = weir.handle @w2_gradients
    %dw2, %took_w2 = weir.accumulator_take %a_w2, %two : (!weir.resource, tensor<i32>) -> (tensor<256x10xf32>, !weir.control)
    %v_w2, %read_v_w2 = weir.read @w2_velocity : tensor<256x10xf32>
    %kept_w2 = weir.mul %v_w2, %momentum : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>
    %next_w2 = weir.add %kept_w2, %dw2 : (tensor<256x10xf32>, tensor<256x10xf32>) -> tensor<256x10xf32>
    %change_w2 = weir.mul %next_w2, %rate : (tensor<256x10xf32>, tensor<f32>) -> tensor<256x10xf32>
    %put_v_w2 = weir.assign @w2_velocity, %next_w2 after(%read_v_w2) : tensor<256x10xf32>
    %put_w2 = weir.assign_sub @w2, %change_w2 : tensor<256x10xf32>

    %a_b2 = weir.handle @b2_gradients
    %db2, %took_b2 = weir.accumulator_take %a_b2, %two : (!weir.resource, tensor<i32>) -> (tensor<10xf32>, !weir.control)
    %v_b2, %read_v_b2 = weir.read @b2_velocity : tensor<10xf32>
    %kept_b2 = weir.mul %v_b2, %momentum : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %next_b2 = weir.add %kept_b2, %db2 : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %change_b2 = weir.mul %next_b2, %rate : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %put_v_b2 = weir.assign @b2_velocity, %next_b2 after(%read_v_b2) : tensor<10xf32>
    %put_b2 = weir.assign_sub @b2, %change_b2 : tensor<10xf32>

    %one = weir.constant dense<1> : tensor<i64>
    %batch = weir.constant dense<32> : tensor<i64>
    %rows = weir.constant dense<719> : tensor<i64>
    %step, %read_step = weir.read @step : tensor<i64>
    %next_step = weir.add %step, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row, %read_row = weir.read @row : tensor<i64>
    %row_ahead = weir.add %row, %batch : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row_around = weir.sub %row_ahead, %rows : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %is_row_over = weir.compare %row_ahead, %rows {predicate = #weir.compare<ge>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %next_row = weir.select %is_row_over, %row_around, %row_ahead : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %put_step = weir.assign @step, %next_step after(%read_step) : tensor<i64>
    %put_row = weir.assign @row, %next_row after(%read_row) : tensor<i64>
    %updated = weir.no_op after(%put_w1, %put_v_w1, %put_b1, %put_v_b1, %put_w2, %put_v_w2, %put_b2, %put_v_b2, %put_step, %put_row)

    %tokens0 = weir.handle @tokens_0
    %go0 = weir.enqueue %tokens0, %next_step, %next_row after(%updated) : (!weir.resource, tensor<i64>, tensor<i64>) -> !weir.control
    %tokens1 = weir.handle @tokens_1
    %go1 = weir.enqueue %tokens1, %next_step, %next_row after(%updated) : (!weir.resource, tensor<i64>, tensor<i64>) -> !weir.control
    weir.fetch %next_step after(%go0, %go1) : tensor<i64>
  }

  // The share of right answers, worked out on worker 0.
  weir.graph @eval(%x: tensor<?x64xf32> {weir.name = "x"}, %y: tensor<?xi32> {weir.name = "y"})
      -> (tensor<f32> {weir.name = "accuracy"}, tensor<f32> {weir.name = "loss"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>
    %product1 = weir.matmul %x, %w1 {weir.device = #worker0} : (tensor<?x64xf32>, tensor<64x256xf32>) -> tensor<?x256xf32>
    %sum1 = weir.add %product1, %b1 {weir.device = #worker0} : (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
    %h1 = weir.relu %sum1 {weir.device = #worker0} : (tensor<?x256xf32>) -> tensor<?x256xf32>
    %product2 = weir.matmul %h1, %w2 {weir.device = #worker0} : (tensor<?x256xf32>, tensor<256x10xf32>) -> tensor<?x10xf32>
    %logits = weir.add %product2, %b2 {weir.device = #worker0} : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    %losses = weir.sparse_softmax_cross_entropy %logits, %y {weir.device = #worker0} : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
    %loss = weir.reduce_mean %losses {axes = array<i64: 0>, weir.device = #worker0} : (tensor<?xf32>) -> tensor<f32>
    %class = weir.argmax %logits {axis = 1 : i64, to = i32, weir.device = #worker0} : (tensor<?x10xf32>) -> tensor<?xi32>
    %right = weir.compare %class, %y {predicate = #weir.compare<eq>, weir.device = #worker0} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %hits = weir.cast %right {to = f32, weir.device = #worker0} : (tensor<?xi1>) -> tensor<?xf32>
    %accuracy = weir.reduce_mean %hits {axes = array<i64: 0>, weir.device = #worker0} : (tensor<?xf32>) -> tensor<f32>
    weir.fetch %accuracy, %loss : tensor<f32>, tensor<f32>
  }

  // All that a checkpoint has, to look at.
  weir.graph @model()
      -> (tensor<64x256xf32> {weir.name = "w1"},
          tensor<256xf32> {weir.name = "b1"},
          tensor<256x10xf32> {weir.name = "w2"},
          tensor<10xf32> {weir.name = "b2"},
          tensor<64x256xf32> {weir.name = "w1_velocity"},
          tensor<256xf32> {weir.name = "b1_velocity"},
          tensor<256x10xf32> {weir.name = "w2_velocity"},
          tensor<10xf32> {weir.name = "b2_velocity"},
          tensor<i64> {weir.name = "step"},
          tensor<i64> {weir.name = "row"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>
    %w1_velocity, %read_w1_velocity = weir.read @w1_velocity : tensor<64x256xf32>
    %b1_velocity, %read_b1_velocity = weir.read @b1_velocity : tensor<256xf32>
    %w2_velocity, %read_w2_velocity = weir.read @w2_velocity : tensor<256x10xf32>
    %b2_velocity, %read_b2_velocity = weir.read @b2_velocity : tensor<10xf32>
    %step, %read_step = weir.read @step : tensor<i64>
    %row, %read_row = weir.read @row : tensor<i64>
    weir.fetch %w1, %b1, %w2, %b2, %w1_velocity, %b1_velocity, %w2_velocity, %b2_velocity, %step, %row
      : tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>,
          tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>, tensor<i64>, tensor<i64>
  }

  // Each server writes what it has; the checkpoint exists once all have.
  weir.graph @save(%path: tensor<!weir.string> {weir.name = "path"}) {
    %w1, %read_w1 = weir.read @w1 : tensor<64x256xf32>
    %b1, %read_b1 = weir.read @b1 : tensor<256xf32>
    %w2, %read_w2 = weir.read @w2 : tensor<256x10xf32>
    %b2, %read_b2 = weir.read @b2 : tensor<10xf32>
    %w1_velocity, %read_w1_velocity = weir.read @w1_velocity : tensor<64x256xf32>
    %b1_velocity, %read_b1_velocity = weir.read @b1_velocity : tensor<256xf32>
    %w2_velocity, %read_w2_velocity = weir.read @w2_velocity : tensor<256x10xf32>
    %b2_velocity, %read_b2_velocity = weir.read @b2_velocity : tensor<10xf32>
    %step, %read_step = weir.read @step : tensor<i64>
    %row, %read_row = weir.read @row : tensor<i64>
    %saved = weir.save %path, %w1, %b1, %w2, %b2, %w1_velocity, %b1_velocity, %w2_velocity, %b2_velocity, %step, %row
      names ["w1", "b1", "w2", "b2", "w1_velocity", "b1_velocity", "w2_velocity", "b2_velocity", "step", "row"]
      : tensor<!weir.string>, tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>,
          tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>, tensor<i64>, tensor<i64>
    weir.fetch after(%saved)
  }

  weir.graph @restore(%path: tensor<!weir.string> {weir.name = "path"}) {
    %w1, %b1, %w2, %b2, %w1_velocity, %b1_velocity, %w2_velocity, %b2_velocity, %step, %row, %restored = weir.restore %path
      names ["w1", "b1", "w2", "b2", "w1_velocity", "b1_velocity", "w2_velocity", "b2_velocity", "step", "row"]
      : tensor<!weir.string> -> tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>,
          tensor<64x256xf32>, tensor<256xf32>, tensor<256x10xf32>, tensor<10xf32>, tensor<i64>, tensor<i64>
    %put_w1 = weir.assign @w1, %w1 : tensor<64x256xf32>
    %put_b1 = weir.assign @b1, %b1 : tensor<256xf32>
    %put_w2 = weir.assign @w2, %w2 : tensor<256x10xf32>
    %put_b2 = weir.assign @b2, %b2 : tensor<10xf32>
    %put_w1_velocity = weir.assign @w1_velocity, %w1_velocity : tensor<64x256xf32>
    %put_b1_velocity = weir.assign @b1_velocity, %b1_velocity : tensor<256xf32>
    %put_w2_velocity = weir.assign @w2_velocity, %w2_velocity : tensor<256x10xf32>
    %put_b2_velocity = weir.assign @b2_velocity, %b2_velocity : tensor<10xf32>
    %put_step = weir.assign @step, %step : tensor<i64>
    %put_row = weir.assign @row, %row : tensor<i64>
    weir.fetch after(%put_w1, %put_b1, %put_w2, %put_b2, %put_w1_velocity, %put_b1_velocity,
        %put_w2_velocity, %put_b2_velocity, %put_step, %put_row)
  }
}
