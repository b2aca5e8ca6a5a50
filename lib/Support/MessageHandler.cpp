//===- MessageHandler.cpp - From MLIR's diagnostics to messages -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/MessageHandler.h"

#include "mlir/IR/Location.h"

using namespace weir;

static Message::Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Message::Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Message::Severity::Warning;
  case mlir::DiagnosticSeverity::Remark:
    return Message::Severity::Remark;
  case mlir::DiagnosticSeverity::Note:
    return Message::Severity::Note;
  }
  return Message::Severity::Error;
}

static Message convert(mlir::Diagnostic &diagnostic) {
  Message message;
  message.severity = severityOf(diagnostic.getSeverity());
  message.text = diagnostic.str();
  message.code = findCode(message.text);
  if (auto place =
          diagnostic.getLocation()->findInstanceOf<mlir::FileLineColRange>()) {
    message.file = place.getFilename().str();
    message.line = place.getStartLine();
    message.column = place.getStartColumn();
  }
  return message;
}

MessageHandler::MessageHandler(mlir::MLIRContext *context,
                               llvm::SourceMgr &sources, Messages &messages)
    : SourceMgrDiagnosticHandler(sources, context, bufferStream),
      messages(messages), bufferStream(buffer) {
  setHandler([this](mlir::Diagnostic &diagnostic) { collect(diagnostic); });
}

void MessageHandler::collect(mlir::Diagnostic &diagnostic) {
  Message message = convert(diagnostic);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(convert(note));
  buffer.clear();
  emitDiagnostic(diagnostic);
  message.rendered = buffer;
  messages.add(std::move(message));
}
