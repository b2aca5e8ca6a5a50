// A program whose nodes are on an emulated GPU runs like one of the CPU; its
// errors have the same codes.
//
// REQUIRES: weir-run
// RUN: weir-run %s --emulate-gpu --devices=CPU:0,GPU:0 --entry dense --feed x=[1,2] | FileCheck %s --check-prefix=DENSE
// RUN: weir-run %s --emulate-gpu --devices=CPU:0,GPU:0 --entry rows --feed i=[2,0] | FileCheck %s --check-prefix=ROWS
// RUN: not weir-run %s --emulate-gpu --devices=CPU:0,GPU:0 --entry rows --feed i=[0,3] 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// DENSE: 3{{.*}}0
// ROWS:  5{{.*}}6{{.*}}1{{.*}}2
// OUTSIDE: [WEIR0330]{{.*}}an index is outside 0 <= i < 3
module {
  weir.graph @dense(%x: tensor<2xf32> {weir.name = "x"}) -> (tensor<2xf32> {weir.name = "y"}) {
    %w = weir.constant dense<[[1.0, -1.0], [1.0, -1.0]]> : tensor<2x2xf32>
    %r = weir.reshape %x {shape = array<i64: 1, 2>, weir.device = "/GPU:0"} : (tensor<2xf32>) -> tensor<1x2xf32>
    %m = weir.matmul %r, %w {weir.device = "/GPU:0"} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
    %a = weir.relu %m {weir.device = "/GPU:0"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %y = weir.reshape %a {shape = array<i64: 2>, weir.device = "/GPU:0"} : (tensor<1x2xf32>) -> tensor<2xf32>
    weir.fetch %y : tensor<2xf32>
  }
  weir.graph @rows(%i: tensor<2xi32> {weir.name = "i"}) -> (tensor<2x2xf32> {weir.name = "y"}) {
    %t = weir.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %y = weir.gather %t, %i {axis = 0 : i64, weir.device = "/GPU:0"} : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
    weir.fetch %y : tensor<2x2xf32>
  }
}
