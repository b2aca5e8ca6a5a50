// Linear regression on examples that come out of CSV files, through two queues.
//
// Runners: `files` puts the names of the files in @names, `read` the examples
// in @examples; each has an entry that closes its queue.
module {
  weir.queue @names capacity 100 of tensor<!weir.string>
  weir.queue @examples capacity 1000 of tensor<f32>, tensor<f32> {kind = #weir.queue_kind<random_shuffle>, min_after_dequeue = 200 : i64, seed = 1 : i64}
  weir.reader @lines {kind = #weir.reader_kind<text_line>, numbers = array<i64: 1>}
  weir.variable @w : tensor<f32>
  weir.variable @b : tensor<f32>

  weir.graph @init() {
    %zero = weir.constant dense<0.0> : tensor<f32>
    %w = weir.assign @w, %zero : tensor<f32>
    %b = weir.assign @b, %zero : tensor<f32>
    weir.fetch after(%w, %b)
  }

  weir.graph @files(%pattern: tensor<!weir.string> {weir.name = "pattern"}) {
    %names = weir.handle @names
    %paths, %found = weir.matching_files %pattern : (tensor<!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
    %put = weir.enqueue_many %names, %paths : (!weir.resource, tensor<?x!weir.string>) -> !weir.control
    weir.fetch after(%put)
  }
  weir.graph @no_more_files() {
    %names = weir.handle @names
    %closed = weir.queue_close %names : (!weir.resource) -> !weir.control
    weir.fetch after(%closed)
  }

  weir.graph @read() {
    %lines = weir.handle @lines
    %names = weir.handle @names
    %examples = weir.handle @examples
    // No default: both fields have to be there.
    %required = weir.constant dense<> : tensor<0xf32>
    %key, %line, %r = weir.reader_read %lines, %names : (!weir.resource, !weir.resource) -> (tensor<!weir.string>, tensor<!weir.string>, !weir.control)
    %x, %y, %d = weir.decode_csv %line, %required, %required : (tensor<!weir.string>, tensor<0xf32>, tensor<0xf32>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %put = weir.enqueue %examples, %x, %y : (!weir.resource, tensor<f32>, tensor<f32>) -> !weir.control
    weir.fetch after(%put)
  }
  weir.graph @no_more_examples() {
    %examples = weir.handle @examples
    %closed = weir.queue_close %examples : (!weir.resource) -> !weir.control
    weir.fetch after(%closed)
  }

  weir.graph @step() -> (tensor<f32> {weir.name = "loss"}, tensor<f32> {weir.name = "w"}, tensor<f32> {weir.name = "b"}) {
    %examples = weir.handle @examples
    %n = weir.constant dense<32> : tensor<i32>
    %x, %y, %taken = weir.dequeue_up_to %examples, %n : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, !weir.control)
    %w, %rw = weir.read @w : tensor<f32>
    %b, %rb = weir.read @b : tensor<f32>
    %wx = weir.mul %w, %x : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %predicted = weir.add %wx, %b : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    %error = weir.sub %predicted, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %squared = weir.mul %error, %error : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %loss = weir.reduce_mean %squared {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
    %gw, %gb = weir.gradients %loss wrt(%w, %b) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %rate = weir.constant dense<0.1> : tensor<f32>
    %dw = weir.mul %gw, %rate : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %db = weir.mul %gb, %rate : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %cw = weir.assign_sub @w, %dw after(%rw) : tensor<f32>
    %cb = weir.assign_sub @b, %db after(%rb) : tensor<f32>
    weir.fetch %loss, %w, %b after(%cw, %cb) : tensor<f32>, tensor<f32>, tensor<f32>
  }
}
