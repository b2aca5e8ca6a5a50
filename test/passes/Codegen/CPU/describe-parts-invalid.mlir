// weir-cpu-describe-program: parts that are not what an entry point is said to be
// made of.
//
// RUN: weir-opt %s --weir-cpu-describe-program --split-input-file --verify-diagnostics

// expected-error @below {{[WEIR0018] part @train.0 of '@train' is no entry point of the module}}
rt.spread @train feeds [] fetches [] parts [{graph = @train.0, feeds = array<i32>, fetches = array<i32>}]

// -----

llvm.func @train.0(%step: !llvm.ptr) -> i32 attributes {rt.device = "/job:localhost/replica:0/task:0/device:CPU:0", rt.entry = {feeds = [{name = "x", type = tensor<f32>}], fetches = []}} {
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
// expected-error @below {{[WEIR0018] part @train.0 of '@train' is said to have 0 feeds and 0 fetches, but has 1 and 0}}
rt.spread @train feeds [] fetches [] parts [{graph = @train.0, feeds = array<i32>, fetches = array<i32>}]
