// A fetch that a condition on another device left without a value names what
// was not made and where, not the nodes that carry it.
// RUN: not weir-run %s --devices=CPU:0,CPU:1 --entry=main --feed p=true --feed x=3 2>&1 | FileCheck %s --check-prefix=DEAD
// DEAD: [WEIR0334] fetch 'y' of entry 'main' has no value: it is 'sq:0' of /job:{{.*}}/device:CPU:1, which was not run there
// RUN: weir-run %s --devices=CPU:0,CPU:1 --entry=main --feed p=false --feed x=3 | FileCheck %s --check-prefix=LIVE
// LIVE: y = 9

weir.graph @main(%p: tensor<i1> {weir.name = "p"}, %x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
  %f, %t, %c = weir.switch %x, %p {weir.device = "/cpu:0", weir.name = "sw"} : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
  %square = weir.mul %f, %f {weir.device = "/cpu:1", weir.name = "sq"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  weir.fetch %square : tensor<f32>
}
