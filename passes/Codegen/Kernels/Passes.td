//===- Passes.td - What linalg on buffers becomes vector loops -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_KERNELS_PASSES_TD
#define WEIR_PASSES_CODEGEN_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CodegenSetTarget : Pass<"weir-codegen-set-target", "::mlir::ModuleOp"> {
  let summary = "Write down which CPU the module is compiled for";
  let description = [{
    Sets the attribute `rt.target` of the module. A module that has one keeps it
    unless `cpu` or `threads` is given.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"\"",
           "native, generic, or a name LLVM knows (x86-64-v3); default native">,
    Option<"threads", "threads", "int64_t", "0",
           "threads to count on; 0 means all of this machine">,
  ];
}

def CodegenLowerKernels : Pass<"weir-codegen-lower-kernels", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg ops on buffers into loops of vector code";
  let description = [{
    Every structured op and memref.copy becomes scf.parallel and scf.for loops over
    vector, arith, math, and memref ops; no linalg op is left. What the CPU can do
    comes from the module's `rt.target`. See docs/rationale/cpu-kernels.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::affine::AffineDialect", "::mlir::LLVM::LLVMDialect",
  ];
}

def CodegenExpandMath : InterfacePass<"weir-codegen-expand-math", "::mlir::FunctionOpInterface"> {
  let summary = "Write elementary functions of f32 out as arithmetic";
  let description = [{
    exp, exp2, expm1, log, log2, log1p, tanh, erf, rsqrt, sin, and cos of f32, as
    scalars or vectors, become polynomials within a few units in the last place. Half
    precision goes by way of f32; on the CPU, bf16 arithmetic, too. Other functions and
    f64 stay.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
  ];
}

#endif // WEIR_PASSES_CODEGEN_KERNELS_PASSES_TD
