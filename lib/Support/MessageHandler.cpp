//===- MessageHandler.cpp - From MLIR's diagnostics to messages -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/MessageHandler.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "runtime/base/Format.h"

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

/// The name of the op that the parser did not know, or "".
static llvm::StringRef unknownOpIn(llvm::StringRef text) {
  if (!text.consume_front("custom op '") || !text.ends_with("' is unknown"))
    return "";
  return text.drop_back(llvm::StringRef("' is unknown").size());
}

/// Hints at the op that was meant, among those of the dialect.
static void suggestOp(mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  llvm::StringRef name = unknownOpIn(text);
  if (name.empty())
    return;
  mlir::MLIRContext *context = diagnostic.getLocation()->getContext();
  std::vector<std::string_view> known;
  for (mlir::RegisteredOperationName op :
       context->getRegisteredOperationsByDialect(name.split('.').first))
    known.push_back(op.getStringRef());
  if (std::string hint = rt::didYouMean(name, known); !hint.empty())
    diagnostic << hint;
}

MessageHandler::MessageHandler(mlir::MLIRContext *context,
                               llvm::SourceMgr &sources, Messages &messages)
    : SourceMgrDiagnosticHandler(sources, context, bufferStream),
      messages(messages), bufferStream(buffer) {
  setHandler([this](mlir::Diagnostic &diagnostic) { collect(diagnostic); });
}

void MessageHandler::collect(mlir::Diagnostic &diagnostic) {
  suggestOp(diagnostic);
  Message message = convert(diagnostic);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(convert(note));
  buffer.clear();
  emitDiagnostic(diagnostic);
  message.rendered = buffer;
  messages.add(std::move(message));
}
