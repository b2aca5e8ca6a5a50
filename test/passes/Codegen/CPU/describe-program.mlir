// RUN: weir-opt %s --weir-cpu-describe-program | FileCheck %s
// The descriptor names variables and entry points with their types, and the features that the code needs.

// An entry point with the name of a C function does not clash with it.
// CHECK:     llvm.func internal @weir.entry.read
// CHECK-NOT: rt.entry
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}("w\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}("read\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}("small\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.+}}("avx2,fma\00")
// CHECK-DAG: llvm.mlir.global external constant @weir_program
// CHECK-NOT: weir.variable
module @small attributes {rt.target = {features = "+avx2,-xop,+fma"}} {
  weir.variable @w : tensor<4xf32>
  llvm.func @read(%step: !llvm.ptr) -> i32 attributes {rt.entry = {feeds = [{name = "x", type = tensor<?xi1>}], fetches = []}} {
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
}
