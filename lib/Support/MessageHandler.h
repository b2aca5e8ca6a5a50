//===- MessageHandler.h - From MLIR's diagnostics to messages - -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_SUPPORT_MESSAGEHANDLER_H
#define WEIR_LIB_SUPPORT_MESSAGEHANDLER_H

#include "lib/Support/Messages.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {

/// While it lives, what passes and verifiers of a context report is added to
/// `messages`, with the source line and a caret where the source is in
/// `sources` or can be read. MLIR serializes the reports of its threads.
class MessageHandler : public mlir::SourceMgrDiagnosticHandler {
public:
  MessageHandler(mlir::MLIRContext *context, llvm::SourceMgr &sources,
                 Messages &messages);

private:
  void collect(mlir::Diagnostic &diagnostic);

  Messages &messages;
  std::string buffer;
  llvm::raw_string_ostream bufferStream;
};

} // namespace weir

#endif // WEIR_LIB_SUPPORT_MESSAGEHANDLER_H
