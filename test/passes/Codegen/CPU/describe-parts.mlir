// weir-cpu-describe-program: an entry point that is spread over devices.
//
// RUN: weir-opt %s --weir-cpu-describe-program | FileCheck %s

// What makes the devices is referred to, so that the program is linked with it;
// the parts come behind what is run by name, and know their device.
// CHECK-DAG: llvm.mlir.global external constant @weir_device_kind_gpu
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}("train\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}("/job:localhost/replica:0/task:0/device:GPU:0\00")
// CHECK-DAG: llvm.mlir.global internal constant @weir.parts
// CHECK-DAG: llvm.mlir.global external constant @weir_program
// CHECK-NOT: rt.spread
// CHECK-NOT: rt.device
module @spread {
  llvm.func @train.0(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:CPU:0", rt.entry = {feeds = [{name = "x", type = tensor<f32>}], fetches = []}} {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
  llvm.func @train.1(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:GPU:0", rt.entry = {feeds = [], fetches = [{name = "y", type = tensor<f32>}]}} {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
  rt.spread @train feeds [{name = "x", type = tensor<f32>}] fetches [{name = "y", type = tensor<f32>}] parts [
    {graph = @train.0, feeds = array<i32: 0>, fetches = array<i32>},
    {graph = @train.1, feeds = array<i32>, fetches = array<i32: 0>}]
}
