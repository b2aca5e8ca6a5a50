//===- Errors.cpp - What an interpreted step may end in -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Errors.h"

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

char StepError::ID = 0;

std::string nodePlace(Operation *op) {
  std::string place;
  if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    place =
        (" at " + file.getFilename().getValue() + ":" + Twine(file.getLine()))
            .str();
  return "'" + WeirDialect::describe(op) + "'" + place + ": ";
}

llvm::Error stepError(ErrorKind kind, const Twine &what) {
  return llvm::make_error<StepError>(kind.code,
                                     ("[" + kind.number + "] " + what).str());
}

llvm::Error nodeError(Operation *op, ErrorKind kind, const Twine &what) {
  return stepError(kind, nodePlace(op) + what);
}

llvm::Error statusError(Operation *op, rt::Status status) {
  if (status.ok())
    return llvm::Error::success();
  WeirCode code = status.code();
  return llvm::make_error<StepError>(
      code, std::move(status).withContext(nodePlace(op)).message());
}

rt::Status toStatus(llvm::Error error) {
  WeirCode code = WEIR_INVALID_ARGUMENT;
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const StepError &step) {
        code = step.code();
        text = step.message();
      },
      [&](const llvm::ErrorInfoBase &other) { text = other.message(); });
  return text.empty() ? rt::Status() : rt::Status(code, std::move(text));
}

} // namespace weir
