// A module whose checkpoint other systems read and write.
module @state {
  weir.variable @weights : tensor<3x4xf32>
  weir.variable @steps : tensor<i64>
  weir.variable @mask : tensor<5xi1>
  weir.variable @half : tensor<2x2xbf16>

  weir.graph @init() {
    %weights = weir.constant dense<[[0.5, 1.0, -2.0, 3.25], [4.0, 5.5, 6.0, 7.0], [8.0, 9.0, -10.0, 1.0e-20]]> : tensor<3x4xf32>
    %steps = weir.constant dense<81985529216486895> : tensor<i64>
    %mask = weir.constant dense<[true, false, true, true, false]> : tensor<5xi1>
    %half = weir.constant dense<[[1.0, -2.0], [0.5, 256.0]]> : tensor<2x2xbf16>
    %c0 = weir.assign @weights, %weights : tensor<3x4xf32>
    %c1 = weir.assign @steps, %steps : tensor<i64>
    %c2 = weir.assign @mask, %mask : tensor<5xi1>
    %c3 = weir.assign @half, %half : tensor<2x2xbf16>
    weir.fetch after(%c0, %c1, %c2, %c3)
  }

  weir.graph @get() -> (tensor<3x4xf32> {weir.name = "weights"}, tensor<i64> {weir.name = "steps"},
      tensor<5xi1> {weir.name = "mask"}, tensor<2x2xf32> {weir.name = "half"}) {
    %weights, %c0 = weir.read @weights : tensor<3x4xf32>
    %steps, %c1 = weir.read @steps : tensor<i64>
    %mask, %c2 = weir.read @mask : tensor<5xi1>
    %half, %c3 = weir.read @half : tensor<2x2xbf16>
    %wide = weir.cast %half {to = f32} : (tensor<2x2xbf16>) -> tensor<2x2xf32>
    weir.fetch %weights, %steps, %mask, %wide : tensor<3x4xf32>, tensor<i64>, tensor<5xi1>, tensor<2x2xf32>
  }

  weir.graph @save(%path: tensor<!weir.string> {weir.name = "path"}) {
    %weights, %c0 = weir.read @weights : tensor<3x4xf32>
    %steps, %c1 = weir.read @steps : tensor<i64>
    %mask, %c2 = weir.read @mask : tensor<5xi1>
    %half, %c3 = weir.read @half : tensor<2x2xbf16>
    %saved = weir.save %path, %weights, %steps, %mask, %half names ["layer/weights", "steps", "mask", "half"]
      : tensor<!weir.string>, tensor<3x4xf32>, tensor<i64>, tensor<5xi1>, tensor<2x2xbf16>
    weir.fetch after(%saved)
  }

  weir.graph @restore(%path: tensor<!weir.string> {weir.name = "path"}) {
    %weights, %steps, %mask, %half, %c = weir.restore %path names ["layer/weights", "steps", "mask", "half"]
      : tensor<!weir.string> -> tensor<3x4xf32>, tensor<i64>, tensor<5xi1>, tensor<2x2xbf16>
    %c0 = weir.assign @weights, %weights : tensor<3x4xf32>
    %c1 = weir.assign @steps, %steps : tensor<i64>
    %c2 = weir.assign @mask, %mask : tensor<5xi1>
    %c3 = weir.assign @half, %half : tensor<2x2xbf16>
    weir.fetch after(%c0, %c1, %c2, %c3)
  }

  // What tf.train.Checkpoint(weights=...) calls its variable.
  weir.graph @restore_object(%path: tensor<!weir.string> {weir.name = "path"}) -> (tensor<3x4xf32> {weir.name = "weights"}) {
    %weights, %c = weir.restore %path names ["weights/.ATTRIBUTES/VARIABLE_VALUE"] : tensor<!weir.string> -> tensor<3x4xf32>
    weir.fetch %weights after(%c) : tensor<3x4xf32>
  }
}
