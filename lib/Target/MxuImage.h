//===- MxuImage.h - Text and bytes of the accelerator -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembler and the disassembler of the `mxu` dialect. Each undoes the
// other exactly: an image that passes the check comes back byte by byte, and a
// program as the same ops.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_MXUIMAGE_H
#define WEIR_LIB_TARGET_MXUIMAGE_H

#include "dialects/Mxu/Mxu.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace weir {

/// The image of a program, checked as a run would check it. Errors are emitted
/// at the op that they are about.
llvm::FailureOr<std::vector<uint8_t>> assembleMxu(mxu::ProgramOp program);

/// A module with one program `@program` of what the image holds. Errors are
/// emitted at `loc`. The context has loaded the dialect.
mlir::OwningOpRef<mlir::ModuleOp> disassembleMxu(llvm::ArrayRef<uint8_t> image,
                                                 mlir::Location loc);

/// The one program of a module (WEIR0240 where there is none, or several).
llvm::FailureOr<mxu::ProgramOp> findMxuProgram(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_LIB_TARGET_MXUIMAGE_H
