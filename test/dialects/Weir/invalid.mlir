// Every error of the verifiers and of type inference for structure. The constraint violated
// stands above each (`matmul_c2`); what ODS checks has none.
//
// RUN: weir-opt %s -split-input-file -verify-diagnostics

// Feeds are tensors.
// graph_c2
// expected-error@below {{[WEIR0001] expected a ranked tensor of a numeric, boolean or string element type, got 'i32'}}
weir.graph @f(%x: i32) {
  weir.fetch
}

// -----

// graph_c2
// expected-error@below {{[WEIR0001] expected a ranked tensor of a numeric, boolean or string element type, got 'tensor<*xindex>'}}
weir.graph @f(%x: tensor<*xindex>) {
  weir.fetch
}

// -----

// graph_c2
// expected-error@below {{[WEIR0001] expected a ranked tensor of a numeric, boolean or string element type, got 'tensor<4xindex>'}}
weir.graph @f(%x: tensor<4xindex>) {
  weir.fetch
}

// -----

// graph_c2
// expected-error@below {{[WEIR0001] a tensor has no encoding, got 'tensor<4xf32, 1 : i64>'}}
weir.graph @f(%x: tensor<4xf32, 1 : i64>) {
  weir.fetch
}

// -----

// Neither the number of elements nor that of bytes may overflow.
// graph_c2
// expected-error@below {{[WEIR0017] a tensor takes less than 2^48 bytes, got 'tensor<9223372036854775807x8xf32>'}}
weir.graph @f(%x: tensor<9223372036854775807x8xf32>) {
  weir.fetch
}

// -----

// graph_c2
weir.graph @f(%x: tensor<f32>) {
  // expected-error@below {{[WEIR0017] a tensor takes less than 2^48 bytes, got 'tensor<1048576x1048576x1048576xf32>'}}
  %y = weir.broadcast_to %x {shape = array<i64: 1048576, 1048576, 1048576>} : (tensor<f32>) -> tensor<1048576x1048576x1048576xf32>
  weir.fetch
}

// -----

// graph_c3
// expected-error@below {{[WEIR0002] two feeds have the name 'x'; give each its own weir.name}}
weir.graph @f(%x: tensor<f32> {weir.name = "x"}, %y: tensor<f32> {weir.name = "x"}) {
  weir.fetch
}

// -----

// A name that was given may not be one that is made up for another.
// graph_c3
// expected-error@below {{[WEIR0002] two fetches have the name 'result1'; give each its own weir.name}}
weir.graph @f(%x: tensor<f32>) -> (tensor<f32> {weir.name = "result1"}, tensor<f32>) {
  weir.fetch %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error@below {{[WEIR0003] a graph ends with weir.fetch}}
weir.graph @f(%x: tensor<f32>) {
  llvm.unreachable
}

// -----

// graph_c1
// expected-note@below {{but the graph is declared to give ('tensor<4xf32>')}}
weir.graph @f(%x: tensor<f32>) -> tensor<4xf32> {
  // expected-error@below {{[WEIR0004] fetches types ('tensor<f32>')}}
  weir.fetch %x : tensor<f32>
}

// -----

// expected-error@below {{expects a non-empty block}}
"weir.graph"() <{sym_name = "f", function_type = () -> ()}> ({
^bb0:
}) : () -> ()

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@below {{'weir.fetch' op expects parent op 'weir.graph'}}
  weir.fetch %x : tensor<f32>
}

// -----

// variable_c1
// expected-error@below {{[WEIR0006] the extents of a variable are static, or its rank is unknown; got 'tensor<?xf32>'}}
weir.variable @w : tensor<?xf32>

// -----

// variable_c2
// expected-error@below {{[WEIR0017] a tensor takes less than 2^48 bytes}}
weir.variable @w : tensor<9223372036854775807x9223372036854775807xf64>

// -----

// queue_c1
// expected-error@below {{[WEIR0007] the capacity is positive, or -1 for no bound, got 0}}
weir.queue @q capacity 0 of tensor<f32>

// -----

// queue_c1
// expected-error@below {{[WEIR0007] the capacity is positive, or -1 for no bound, got -2}}
weir.queue @q capacity -2 of tensor<f32>

// -----

// queue_c2
// expected-error@below {{[WEIR0008] a queue has at least one component}}
"weir.queue"() <{sym_name = "q", capacity = 1 : i64, components = []}> : () -> ()

// -----

// queue_c2
// expected-error@below {{[WEIR0001] expected a ranked tensor of a numeric, boolean or string element type, got 'f32'}}
weir.queue @q capacity 1 of f32

// -----

weir.graph @f() {
  // constant_c1
  // expected-error@below {{[WEIR0009] the value has type 'tensor<2xf32>', but the result 'tensor<3xf32>'}}
  %c = "weir.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  weir.fetch
}

// -----

weir.graph @f() {
  // constant_c2
  // expected-error@below {{[WEIR0009] the value is dense<...>; elements kept sparse or outside the text are not supported}}
  %c = weir.constant sparse<[[0]], [1.0]> : tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%y: tensor<f32>, %x: tensor<4xf32>) {
  // gradients_c1
  // expected-error@below {{[WEIR0010] the gradients have the types of what they are taken with respect to: expected ('tensor<4xf32>'), got ('tensor<5xf32>')}}
  %g = weir.gradients %y wrt(%x) : (tensor<f32>, tensor<4xf32>) -> tensor<5xf32>
  weir.fetch
}

// -----

weir.graph @f(%y: tensor<f32>, %x: tensor<4xf32>) {
  // gradients_c2
  // expected-error@below {{[WEIR0010] the seed has type 'tensor<4xf32>', but y has type 'tensor<f32>'}}
  %g = weir.gradients %y wrt(%x) seed(%x) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  %y = weir.group "k" -> tensor<f64> {
    // group_c1
    // expected-error@below {{[WEIR0011] yields ('tensor<f32>'), but the group gives ('tensor<f64>')}}
    weir.yield %x : tensor<f32>
  }
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  weir.group "k" {
    // group_c2
    // expected-error@below {{[WEIR0011] has effects: it cannot be part of a fusion group}}
    %y, %c = weir.check_numerics %x "oops" : tensor<f32>
    weir.yield
  }
  weir.fetch
}

// -----

// What a node may carry is known.
weir.graph @f(%x: tensor<f32>) {
  // expected-error@below {{[WEIR0015] unknown attribute 'weir.color'; a node may carry weir.device, weir.colocate and weir.name}}
  %y = weir.neg %x {weir.color = "red"} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<f32>) {
  // expected-error@below {{[WEIR0015] 'weir.device' is a string that is not empty, got 1 : i32}}
  %y = weir.neg %x {weir.device = 1 : i32} : (tensor<f32>) -> tensor<f32>
  weir.fetch
}

// -----

// expected-error@below {{[WEIR0015] 'weir.name' is a string that is not empty, got ""}}
weir.graph @f(%x: tensor<f32> {weir.name = ""}) {
  weir.fetch
}

// -----

// An attribute that is missing is an error before anything looks at it.
weir.graph @f(%x: tensor<2x2xf32>) {
  // expected-error@below {{'weir.transpose' op requires attribute 'permutation'}}
  %y = weir.transpose %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  weir.fetch
}

// -----

// So is one of another kind.
weir.graph @f(%x: tensor<2x2xf32>) {
  // expected-error@below {{'weir.transpose' op attribute 'permutation' failed to satisfy constraint: i64 dense array attribute}}
  %y = weir.transpose %x {permutation = "no"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  weir.fetch
}

// -----

// A declared type that contradicts the operands is shown beside what they imply.
weir.graph @f(%x: tensor<4xf32>) {
  // neg_c1
  // expected-error@below {{[WEIR0016] gives ('tensor<4xf32>'), but is declared to give ('tensor<5xf32>')}}
  %y = weir.neg %x : (tensor<4xf32>) -> tensor<5xf32>
  weir.fetch
}

// -----

weir.graph @f(%x: tensor<4xi1>) {
  // expected-error@below {{'weir.exp' op operand #0 must be ranked tensor of float element values, but got 'tensor<4xi1>'}}
  %y = weir.exp %x : (tensor<4xi1>) -> tensor<4xi1>
  weir.fetch
}
