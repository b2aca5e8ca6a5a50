//===- Weir.h - The weir dialect ---------------------------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_WEIR_WEIR_H
#define WEIR_DIALECTS_WEIR_WEIR_H

#include "dialects/Interfaces/Interfaces.h"
#include "dialects/Weir/Node.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "dialects/Weir/WeirDialect.h.inc"
#include "dialects/Weir/WeirEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Weir/WeirTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Weir/WeirAttrs.h.inc"

namespace weir {
class FetchOp;
class YieldOp;
} // namespace weir

#define GET_OP_CLASSES
#include "dialects/Weir/WeirOps.h.inc"

namespace weir {

/// An error unless slices of `operand` can be changed so: weir.scatter (C1),
/// (C2).
llvm::LogicalResult verifyScatter(mlir::RankedTensorType operand,
                                  mlir::RankedTensorType indices,
                                  mlir::RankedTensorType updates,
                                  ScatterKind kind,
                                  llvm::function_ref<InferError()> error);

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_WEIR_H
