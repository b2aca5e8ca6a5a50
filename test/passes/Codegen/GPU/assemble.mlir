// ptxas accepts what the pipeline makes of scheduled functions, for each
// architecture; every image is an ELF file.
//
// REQUIRES: ptxas
// RUN: weir-opt %s --weir-phase-codegen | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @weir.gpu.weir_gpu_code.sm_80("\7FELF
// CHECK-DAG: llvm.mlir.global internal constant @weir.gpu.weir_gpu_code.sm_90("\7FELF
// CHECK-DAG: llvm.mlir.global internal constant @weir.gpu.weir_gpu_code.sm_100("\7FELF
// CHECK-DAG: llvm.mlir.global external constant @weir_device_kind_gpu
// CHECK-DAG: llvm.call @weir_rt_gpu_launch
module {
  rt.dataflow @t feeds [{name = "x", type = tensor<?x64xf32>}, {name = "w", type = tensor<64x32xf32>}] fetches [{name = "y", type = tensor<?x32xf32>}, {name = "s", type = tensor<?xf32>}] frames [] attributes {rt.device = "/job:localhost/replica:0/task:0/device:GPU:0"} {
    %x, %0 = rt.node feed "feed 'x'"() {index = 0 : i64} : () -> !rt.edge<tensor<?x64xf32>>
    %w, %1 = rt.node feed "feed 'w'"() {index = 1 : i64} : () -> !rt.edge<tensor<64x32xf32>>
    %r:2, %2 = rt.node kernel "'matmul_softmax' at net.mlir:3"(%x, %w) {kernel = @t.kernel_0} : (!rt.edge<tensor<?x64xf32>>, !rt.edge<tensor<64x32xf32>>) -> (!rt.edge<tensor<?x32xf32>>, !rt.edge<tensor<?xf32>>)
    %3 = rt.node fetch "fetch 'y'"(%r#0) {index = 0 : i64} : (!rt.edge<tensor<?x32xf32>>) -> ()
    %4 = rt.node fetch "fetch 's'"(%r#1) {index = 1 : i64} : (!rt.edge<tensor<?xf32>>) -> ()
  }
  func.func @t.kernel_0(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:GPU:0",
      rt.entry = {feeds = [{name = "x", type = tensor<?x64xf32>}, {name = "w", type = tensor<64x32xf32>}], fetches = [{name = "y", type = tensor<?x32xf32>}, {name = "s", type = tensor<?xf32>}]}} {
    %x = rt.feed 0 : tensor<?x64xf32>
    %w = rt.feed 1 : tensor<64x32xf32>
    %ok = arith.constant 0 : i32
    %r:2 = weir.group "matmul_exp_sum" -> tensor<?x32xf32>, tensor<?xf32> {
      %0 = weir.matmul %x, %w : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<?x32xf32>
      %1 = weir.exp %0 : (tensor<?x32xf32>) -> tensor<?x32xf32>
      %2 = weir.reduce_sum %1 {axes = array<i64: 1>} : (tensor<?x32xf32>) -> tensor<?xf32>
      weir.yield %1, %2 : tensor<?x32xf32>, tensor<?xf32>
    }
    rt.fetch 0, %r#0 : tensor<?x32xf32>
    rt.fetch 1, %r#1 : tensor<?xf32>
    return %ok : i32
  }
}
