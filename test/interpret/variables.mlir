// RUN: weir-run %s --interpret --entry=handle --feed x=[1,2] | FileCheck %s --check-prefix=HANDLE
// RUN: weir-run %s --interpret --entry=scatter | FileCheck %s --check-prefix=SCATTER
// RUN: weir-run %s --interpret --entry=kinds | FileCheck %s --check-prefix=KINDS
// RUN: not weir-run %s --interpret --entry=range --feed i=3 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not weir-run %s --interpret --entry=shape --feed x=[1,2,3] 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not weir-run %s --interpret --entry=empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not weir-run %s --interpret --entry=wrong 2>&1 | FileCheck %s --check-prefix=WRONG
// Variables by symbol and by handle.
// REQUIRES: weir-run

module {
  weir.variable @w : tensor<2xf32>
  weir.variable @table : tensor<3x2xi32>
  weir.queue @q capacity 3 of tensor<i32>

  // A handle and the symbol name the same variable.
  // HANDLE: before = false
  // HANDLE: after = true
  // HANDLE: sum = [3, 4]
  // HANDLE: w = [1, 2]
  weir.graph @handle(%x: tensor<2xf32> {weir.name = "x"})
      -> (tensor<i1> {weir.name = "before"}, tensor<i1> {weir.name = "after"}, tensor<2xf32> {weir.name = "sum"}, tensor<2xf32> {weir.name = "w"}) {
    %h = weir.handle @w
    %two = weir.constant dense<2.0> : tensor<2xf32>
    %before, %c0 = weir.is_initialized_resource %h : (!weir.resource) -> (tensor<i1>, !weir.control)
    %c1 = weir.assign_resource %h, %x after(%c0) : (!weir.resource, tensor<2xf32>) -> !weir.control
    %after, %c2 = weir.is_initialized @w after(%c1) : tensor<i1>
    %c3 = weir.assign_add_resource %h, %two after(%c1) : (!weir.resource, tensor<2xf32>) -> !weir.control
    %sum, %c4 = weir.read @w after(%c3) : tensor<2xf32>
    %c5 = weir.assign_sub_resource %h, %two after(%c4) : (!weir.resource, tensor<2xf32>) -> !weir.control
    %w, %c6 = weir.read_resource %h after(%c5) : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    weir.fetch %before, %after, %sum, %w : tensor<i1>, tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }

  // Updates of slices, in both forms; an index that comes twice is updated twice, and a scalar is repeated.
  // SCATTER: table = {{\[}}[25, 26], [3, 4], [-1, -1]]
  weir.graph @scatter() -> (tensor<3x2xi32> {weir.name = "table"}) {
    %h = weir.handle @table
    %x = weir.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
    %i = weir.constant dense<[0, 0]> : tensor<2xi32>
    %v = weir.constant dense<12> : tensor<2x2xi32>
    %j = weir.constant dense<2> : tensor<i64>
    %s = weir.constant dense<-1> : tensor<i32>
    %c1 = weir.assign @table, %x : tensor<3x2xi32>
    %c2 = weir.assign_scatter @table, %i, %v after(%c1) {kind = #weir.scatter_kind<add>} : tensor<2xi32>, tensor<2x2xi32>
    %c3 = weir.assign_scatter_resource %h, %j, %s after(%c2) {kind = #weir.scatter_kind<assign>, type = tensor<3x2xi32>} : (!weir.resource, tensor<i64>, tensor<i32>) -> !weir.control
    %t, %c4 = weir.read @table after(%c3) : tensor<3x2xi32>
    weir.fetch %t : tensor<3x2xi32>
  }

  // What a scatter does to elements: integers round towards zero, the smallest one divided by -1 wraps, floats follow IEEE 754.
  // KINDS: sub = [7, -7, -100]
  // KINDS: mul = [21, -21, 100]
  // KINDS: div = [2, -2, -128]
  // KINDS: min = [-0, 2, nan]
  // KINDS: max = [0, 5, nan]
  weir.graph @kinds() -> (tensor<3xi8> {weir.name = "sub"}, tensor<3xi8> {weir.name = "mul"}, tensor<3xi8> {weir.name = "div"},
                          tensor<3xf32> {weir.name = "min"}, tensor<3xf32> {weir.name = "max"}) {
    %i = weir.constant dense<[0, 1, 2]> : tensor<3xi32>
    %x = weir.constant dense<[10, -4, 100]> : tensor<3xi8>
    %y = weir.constant dense<[3, 3, -56]> : tensor<3xi8>
    %sub = weir.scatter %x, %i, %y {kind = #weir.scatter_kind<sub>} : (tensor<3xi8>, tensor<3xi32>, tensor<3xi8>) -> tensor<3xi8>
    %m = weir.constant dense<[7, -7, 50]> : tensor<3xi8>
    %n = weir.constant dense<[3, 3, 2]> : tensor<3xi8>
    %mul = weir.scatter %m, %i, %n {kind = #weir.scatter_kind<mul>} : (tensor<3xi8>, tensor<3xi32>, tensor<3xi8>) -> tensor<3xi8>
    %d = weir.constant dense<[8, -8, -128]> : tensor<3xi8>
    %e = weir.constant dense<[3, 3, -1]> : tensor<3xi8>
    %div = weir.scatter %d, %i, %e {kind = #weir.scatter_kind<div>} : (tensor<3xi8>, tensor<3xi32>, tensor<3xi8>) -> tensor<3xi8>
    %f = weir.constant dense<[0.0, 5.0, 1.0]> : tensor<3xf32>
    %g = weir.constant dense<[-0.0, 2.0, 0x7FC00000]> : tensor<3xf32>
    %min = weir.scatter %f, %i, %g {kind = #weir.scatter_kind<min>} : (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
    %max = weir.scatter %g, %i, %f {kind = #weir.scatter_kind<max>} : (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
    weir.fetch %sub, %mul, %div, %min, %max : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xf32>, tensor<3xf32>
  }

  // An index outside changes nothing.
  // RANGE: [WEIR0330] 'weir.assign_scatter' at {{.*}}: index 3 is outside of 0 <= i < 3
  weir.graph @range(%i: tensor<i32> {weir.name = "i"}) {
    %x = weir.constant dense<1> : tensor<3x2xi32>
    %v = weir.constant dense<2> : tensor<2xi32>
    %c1 = weir.assign @table, %x : tensor<3x2xi32>
    %c2 = weir.assign_scatter @table, %i, %v after(%c1) {kind = #weir.scatter_kind<add>} : tensor<i32>, tensor<2xi32>
    weir.fetch after(%c2)
  }

  // A value of unknown rank is compared with the variable when it comes.
  // SHAPE: [WEIR0308] 'weir.assign_resource' at {{.*}}: variable 'w': expected f32 of shape 2, got f32 of shape 3
  weir.graph @shape(%x: tensor<*xf32> {weir.name = "x"}) {
    %h = weir.handle @w
    %c1 = weir.assign_resource %h, %x : (!weir.resource, tensor<*xf32>) -> !weir.control
    weir.fetch after(%c1)
  }

  // EMPTY: [WEIR0306] 'weir.read_resource' at {{.*}}: variable 'w' is read before it has a value
  weir.graph @empty() -> (tensor<2xf32> {weir.name = "w"}) {
    %h = weir.handle @w
    %w, %c1 = weir.read_resource %h : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    weir.fetch %w : tensor<2xf32>
  }

  // WRONG: [WEIR0338] 'weir.read_resource' at {{.*}}: operand 0 has to be a handle of a variable, but names FIFO queue 'q'
  weir.graph @wrong() -> (tensor<2xf32> {weir.name = "w"}) {
    %h = weir.handle @q
    %w, %c1 = weir.read_resource %h : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    weir.fetch %w : tensor<2xf32>
  }
}
