// RUN: weir-run %s --interpret --entry=shape --feed x=[[1,2],[3,4]] | FileCheck %s --check-prefix=SHAPE
// RUN: not weir-run %s --interpret --entry=shape --feed x=[1,2] 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: weir-run %s --interpret --entry=check --feed p=[true,true] | FileCheck %s --check-prefix=HOLDS
// RUN: not weir-run %s --interpret --entry=check --feed p=[true,false] 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: weir-run %s --interpret --entry=foreign --feed p=false | FileCheck %s --check-prefix=UNUSED
// RUN: not weir-run %s --interpret --entry=foreign --feed p=true 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: weir-run %s --interpret --entry=text | FileCheck %s --check-prefix=TEXT
// RUN: not weir-run %s --interpret --entry=number 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not weir-run %s --interpret --entry=late --feed x=nan --entry=after 2>&1 | FileCheck %s --check-prefix=LATE
// Checks at run time, nodes of other systems, text.
// REQUIRES: weir-run

module {
  weir.variable @w : tensor<f32>

  // A value of unknown rank can be computed with once its shape was checked.
  // SHAPE: y = [4, 6]
  // RANK: [WEIR0335] 'weir.ensure_shape' at {{.*}}: the shape of the value is not the expected one; expected tensor<?x2xf32>, got f32 of shape 2
  weir.graph @shape(%x: tensor<*xf32> {weir.name = "x"}) -> (tensor<2xf32> {weir.name = "y"}) {
    %m, %c = weir.ensure_shape %x : (tensor<*xf32>) -> (tensor<?x2xf32>, !weir.control)
    %y = weir.reduce_sum %m {axes = array<i64: 0>} : (tensor<?x2xf32>) -> tensor<2xf32>
    weir.fetch %y : tensor<2xf32>
  }

  // All elements of a condition have to hold; the message has the first values.
  // HOLDS: y = 1
  // FAILS: [WEIR0336] 'weir.assert' at {{.*}}: assertion failed: x is bad [0.100000001] [1 2 3...] [abc]
  weir.graph @check(%p: tensor<2xi1> {weir.name = "p"}) -> (tensor<f32> {weir.name = "y"}) {
    %one = weir.constant dense<1.0> : tensor<f32>
    %x = weir.constant dense<0.1> : tensor<f32>
    %n = weir.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %s = weir.constant dense<"abc"> : tensor<!weir.string>
    %c = weir.assert %p, %x, %n, %s {message = "x is bad"} : (tensor<2xi1>, tensor<f32>, tensor<4xi32>, tensor<!weir.string>) -> !weir.control
    weir.fetch %one after(%c) : tensor<f32>
  }

  // A node that Weir does not have is an error only where it runs.
  // UNUSED: y = 2
  // FOREIGN: [WEIR0337] 'fft' at {{.*}}: this version of Weir cannot run op 'FFT2D': there is no such op
  weir.graph @foreign(%p: tensor<i1> {weir.name = "p"}) -> (tensor<*xf32> {weir.name = "y"}) {
    %x = weir.constant dense<2.0> : tensor<f32>
    %f, %t, %c0 = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    %z, %c1 = weir.foreign %t {op = "FFT2D", reason = "there is no such op", weir.name = "fft"} : (tensor<f32>) -> (tensor<*xf32>, !weir.control)
    %y, %i, %c2 = weir.merge %f, %z : (tensor<f32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<i32>, !weir.control)
    weir.fetch %y : tensor<*xf32>
  }

  // Numbers as text and back, text joined.
  // TEXT: joined = ["7/a", "8/a"]
  // TEXT: numbers = [7, 8]
  weir.graph @text() -> (tensor<2x!weir.string> {weir.name = "joined"}, tensor<2xf64> {weir.name = "numbers"}) {
    %x = weir.constant dense<[7, 8]> : tensor<2xi32>
    %a = weir.constant dense<"a"> : tensor<!weir.string>
    %s, %c0 = weir.as_string %x : (tensor<2xi32>) -> (tensor<2x!weir.string>, !weir.control)
    %joined, %c1 = weir.string_join %s, %a {separator = "/"} : (tensor<2x!weir.string>, tensor<!weir.string>) -> (tensor<2x!weir.string>, !weir.control)
    %numbers, %c2 = weir.string_to_number %s : (tensor<2x!weir.string>) -> (tensor<2xf64>, !weir.control)
    weir.fetch %joined, %numbers : tensor<2x!weir.string>, tensor<2xf64>
  }

  // NUMBER: [WEIR0369] 'weir.string_to_number' at
  weir.graph @number() -> (tensor<f32> {weir.name = "x"}) {
    %a = weir.constant dense<"a"> : tensor<!weir.string>
    %x, %c2 = weir.string_to_number %a : (tensor<!weir.string>) -> (tensor<f32>, !weir.control)
    weir.fetch %x : tensor<f32>
  }

  // The error of a node ends the step; the next entry is not reached.
  // LATE: [WEIR0333] 'weir.check_numerics' at {{.*}}: diverged: element 0 of f32 of shape scalar is NaN
  weir.graph @late(%x: tensor<f32> {weir.name = "x"}) {
    %a = weir.assign @w, %x : tensor<f32>
    %y, %c = weir.check_numerics %x "diverged" after(%a) : tensor<f32>
    weir.fetch after(%c)
  }
  weir.graph @after() -> (tensor<f32> {weir.name = "w"}) {
    %w, %c = weir.read @w : tensor<f32>
    weir.fetch %w : tensor<f32>
  }
}
