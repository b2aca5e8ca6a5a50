// RUN: rm -rf %t && mkdir %t
// RUN: weir-run %s --interpret --entry=save --feed path=%t/model --feed x=[1.5,-2]
// RUN: weir-run %s --interpret --entry=restore --feed path=%t/model | FileCheck %s
// RUN: weir-run %s --entry=restore --feed path=%t/model | FileCheck %s
// RUN: not weir-run %s --interpret --entry=restore --feed path=%t/none 2>&1 | FileCheck %s --check-prefix=NONE
// The interpreter and compiled programs write and read the same checkpoints.
// REQUIRES: weir-run

// CHECK: result0 = [1.5, -2]
// NONE: [WEIR0401] 'weir.restore' at {{.*}}checkpoint.mlir:[[#@LINE+7]]: there is no checkpoint
module {
  weir.graph @save(%path: tensor<!weir.string> {weir.name = "path"}, %x: tensor<2xf32> {weir.name = "x"}) {
    %c = weir.save %path, %x names ["x"] : tensor<!weir.string>, tensor<2xf32>
    weir.fetch after(%c)
  }
  weir.graph @restore(%path: tensor<!weir.string> {weir.name = "path"}) -> tensor<2xf32> {
    %x, %c = weir.restore %path names ["x"] : tensor<!weir.string> -> tensor<2xf32>
    weir.fetch %x : tensor<2xf32>
  }
}
