//===- ProgramImpl.h - Inside a Program ----------------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_PROGRAMIMPL_H
#define WEIR_LIB_DRIVER_PROGRAMIMPL_H

#include "lib/Driver/Driver.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace weir {

/// A context and the text that its modules came from; shared by the copies of a
/// program.
struct ProgramContext {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  llvm::SourceMgr sources;
};

struct Program::Impl {
  std::shared_ptr<ProgramContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// All dialects that a program may use, those of plugins included.
mlir::DialectRegistry &driverRegistry();

} // namespace weir

#endif // WEIR_LIB_DRIVER_PROGRAMIMPL_H
