//===- Errors.h - What an interpreted step may end in ---------- -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error of a step is text for the user, "[WEIRnnnn] 'node' at file:line:
// what", and the class that the C interface knows it by (WeirCode).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_ERRORS_H
#define WEIR_LIB_INTERPRETER_ERRORS_H

#include "mlir/IR/Operation.h"
#include "runtime/base/Status.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace weir {

/// The error of all functions of the interpreter.
class StepError : public llvm::ErrorInfo<StepError> {
public:
  static char ID;
  StepError(WeirCode code, std::string text)
      : weirCode(code), text(std::move(text)) {}

  WeirCode code() const { return weirCode; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  WeirCode weirCode;
  std::string text;
};

/// A kind of error: the number of its page, and its class.
struct ErrorKind {
  template <size_t size>
  constexpr ErrorKind(const char (&number)[size],
                      WeirCode code = WEIR_INVALID_ARGUMENT)
      : number(number), code(code) {}

  llvm::StringRef number;
  WeirCode code;
};

/// "'name' at file:line: ".
std::string nodePlace(mlir::Operation *op);

/// An error that no node stands for.
llvm::Error stepError(ErrorKind kind, const llvm::Twine &what);
/// An error "[code] 'name' at file:line: what", as compiled programs report it.
llvm::Error nodeError(mlir::Operation *op, ErrorKind kind,
                      const llvm::Twine &what);
/// The runtime's error, with the node behind its number; success for an OK.
llvm::Error statusError(mlir::Operation *op, rt::Status status);

/// Any error as the runtime has it; INVALID_ARGUMENT for one that is no
/// StepError.
rt::Status toStatus(llvm::Error error);

// The kinds of run-time errors; compiled programs have the same.
namespace code {
inline constexpr ErrorKind badFeed = "WEIR0302";
inline constexpr ErrorKind unknownEntry = {"WEIR0303", WEIR_NOT_FOUND};
inline constexpr ErrorKind uninitialized = {"WEIR0306",
                                            WEIR_FAILED_PRECONDITION};
inline constexpr ErrorKind unknownVariable = {"WEIR0307", WEIR_NOT_FOUND};
inline constexpr ErrorKind badVariable = "WEIR0308";
inline constexpr ErrorKind index = "WEIR0330";
inline constexpr ErrorKind extents = "WEIR0331";
inline constexpr ErrorKind reshape = "WEIR0332";
inline constexpr ErrorKind notFinite = "WEIR0333";
inline constexpr ErrorKind outOfTurn = {"WEIR0322", WEIR_FAILED_PRECONDITION};
inline constexpr ErrorKind cancelled = {"WEIR0323", WEIR_CANCELLED};
inline constexpr ErrorKind deadline = {"WEIR0323", WEIR_DEADLINE_EXCEEDED};
inline constexpr ErrorKind output = "WEIR0326";
inline constexpr ErrorKind predicate = "WEIR0328";
inline constexpr ErrorKind deadFetch = "WEIR0334";
inline constexpr ErrorKind handle = "WEIR0338";
inline constexpr ErrorKind operand = "WEIR0339";
// Those of the interpreter alone.
inline constexpr ErrorKind unknownOp = {"WEIR0135", WEIR_UNIMPLEMENTED};
inline constexpr ErrorKind frames = "WEIR0136";
inline constexpr ErrorKind cannotFinish = {"WEIR0137",
                                           WEIR_FAILED_PRECONDITION};
inline constexpr ErrorKind stalled = {"WEIR0138", WEIR_DEADLINE_EXCEEDED};
inline constexpr ErrorKind secondValue = {"WEIR0139", WEIR_FAILED_PRECONDITION};
} // namespace code

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_ERRORS_H
