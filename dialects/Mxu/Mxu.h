//===- Mxu.h - Programs of the accelerator ----------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_MXU_MXU_H
#define WEIR_DIALECTS_MXU_MXU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "weir/MxuImage.h"

namespace weir::mxu {

/// The text form and the rules that all instructions share; `name` is the
/// instruction's in the table of formats.
mlir::ParseResult parseInstruction(mlir::OpAsmParser &parser,
                                   mlir::OperationState &result,
                                   llvm::StringRef name);
void printInstruction(mlir::Operation *op, mlir::OpAsmPrinter &printer);
llvm::LogicalResult verifyInstruction(mlir::Operation *op);

/// The format of an instruction; null for other ops.
const Format *formatOf(mlir::Operation *op);

/// A number among the attributes of an op that has it.
int64_t numberOf(mlir::Operation *op, llvm::StringRef name);

} // namespace weir::mxu

#include "dialects/Mxu/MxuDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Mxu/MxuOps.h.inc"

#endif // WEIR_DIALECTS_MXU_MXU_H
