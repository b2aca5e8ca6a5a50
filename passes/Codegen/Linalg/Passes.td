//===- Passes.td - What groups become linalg on tensors -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_LINALG_PASSES_TD
#define WEIR_PASSES_CODEGEN_LINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def CodegenLinalgLowerToLinalg : Pass<"weir-codegen-lower-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "Pure nodes become linalg, tensor, arith and math";
  let description = [{
    Lowers every pure node of a scheduled function, in fusion groups and outside
    of them. Tensors get the element types that memory has: booleans are bytes
    0 and 1, unsigned integers lose their sign. What only the run can tell
    (indices, extents that have to agree, numbers of elements) is checked by
    `rt.assert` before data is touched.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::weir::rt::RtDialect"];
}

def CodegenLinalgFuseLinalg : Pass<"weir-codegen-fuse-linalg", "::mlir::func::FuncOp"> {
  let summary = "Element-wise fusion inside a group";
  let description = [{
    Fuses element-wise producers into what reads them, where both are in one
    group and no expensive work is repeated. Contractions take in copies only
    (transposes, broadcasts), as maps: their bodies stay a multiply and an add.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CodegenLinalgInlineGroups : Pass<"weir-codegen-inline-groups", "::mlir::func::FuncOp"> {
  let summary = "Groups become straight code between trace marks";
  let description = [{
    The body of each `weir.group` takes its place, between `rt.trace_begin` and
    an `rt.trace_end` with the name of the kernel. Inside of conditionals and
    loops there are no marks; those around the outermost do.
  }];
  let dependentDialects = ["::weir::rt::RtDialect"];
}

def CodegenLinalgScalarize : Pass<"weir-codegen-scalarize", "::mlir::func::FuncOp"> {
  let summary = "Scalars of conditionals and loops become numbers";
  let description = [{
    What `scf.if` and `scf.while` carry as tensors of rank 0 they carry as
    numbers, and element-wise ops on such tensors inside of them become
    arithmetic: a loop over scalars needs no memory. Values that a loop only
    reads are taken out of it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CodegenLinalgSeparateInits : Pass<"weir-codegen-separate-inits", "::mlir::func::FuncOp"> {
  let summary = "A destination of its own for each op";
  let description = [{
    Gives each op that writes into an empty or filled tensor its own, where CSE
    made one of several. Shared, they cost copies when tensors become buffers;
    and a destination that is replaced by the memory of one result must not be
    that of another. Runs right before bufferization, with no CSE in between.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // WEIR_PASSES_CODEGEN_LINALG_PASSES_TD
