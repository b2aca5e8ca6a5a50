//===- Node.h - The shared text form and type inference of nodes -------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes have one text form: `op %operands after(%controls) {attributes} :
// (operand types) -> result types`. It is written once, here.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_WEIR_NODE_H
#define WEIR_DIALECTS_WEIR_NODE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <tuple>

namespace weir {

/// All state of a session as one thing that effects are on. Nodes are ordered
/// by edges alone, so finer effects would only invite passes that reason by
/// the order of the text.
struct StateResource : mlir::SideEffects::Resource::Base<StateResource> {
  llvm::StringRef getName() final { return "WeirState"; }
};

/// An error of type inference on its way out. It converts to failure, also
/// where nobody is told: an inactive InFlightDiagnostic would be a success.
class InferError {
public:
  explicit InferError(mlir::InFlightDiagnostic &&diagnostic)
      : diagnostic(std::move(diagnostic)) {}

  template <typename Arg> InferError &&operator<<(Arg &&arg) && {
    diagnostic << std::forward<Arg>(arg);
    return std::move(*this);
  }
  operator llvm::LogicalResult() const { return mlir::failure(); }
  template <typename T> operator llvm::FailureOr<T>() const {
    return mlir::failure();
  }

private:
  mlir::InFlightDiagnostic diagnostic;
};

/// Where type inference reports what is wrong: an error at the location that
/// starts with the op's name, or nothing where the caller gave no location.
struct InferContext {
  mlir::MLIRContext *context;
  std::optional<mlir::Location> location;
  llvm::StringRef opName;

  InferError error() const {
    if (!location)
      return InferError(mlir::InFlightDiagnostic());
    return InferError(mlir::emitError(*location) << "'" << opName << "' op ");
  }
};

/// True for the element types of this dialect.
bool isElementType(mlir::Type type);

/// An error unless verifyTensorType accepts `type`, or it is a tensor of an
/// element type and of unknown rank.
llvm::LogicalResult
verifyAnyTensorType(mlir::Type type,
                    llvm::function_ref<mlir::InFlightDiagnostic()> error);

/// An error unless `type` is a ranked tensor of an element type, without an
/// encoding and of less than 2^48 bytes (dynamic extents counting as 1), so
/// that no count of its elements or bytes overflows.
llvm::LogicalResult
verifyTensorType(mlir::Type type,
                 llvm::function_ref<mlir::InFlightDiagnostic()> error);

/// `input` as the fold of `op`, unless it is the op's own result, which a
/// graph region allows: a fold that returns that would be repeated for ever.
inline mlir::OpFoldResult forward(mlir::Value input, mlir::Operation *op) {
  return input.getDefiningOp() == op ? mlir::OpFoldResult()
                                     : mlir::OpFoldResult(input);
}

/// Declared result types may be more or less static than the inferred ones,
/// but may not contradict them.
bool areCompatible(mlir::TypeRange inferred, mlir::TypeRange declared);

/// An error unless types are inferred for `op` and compatible with those that
/// it is declared to give.
llvm::LogicalResult verifyDeclared(mlir::InferTypeOpInterface op);

/// Parses `operands after(controls) {attributes}` and the types. Records how
/// many data operands there were.
mlir::ParseResult parseNodeBody(mlir::OpAsmParser &parser,
                                mlir::OperationState &result,
                                unsigned &dataCount, unsigned &controlCount);
void printNodeBody(mlir::Operation *op, mlir::OperandRange inputs,
                   mlir::OperandRange controls, mlir::OpAsmPrinter &printer);

template <typename OpT>
mlir::ParseResult parseNode(mlir::OpAsmParser &parser,
                            mlir::OperationState &result) {
  unsigned dataCount = 0, controlCount = 0;
  if (parseNodeBody(parser, result, dataCount, controlCount))
    return mlir::failure();
  if constexpr (OpT::template hasTrait<
                    mlir::OpTrait::AttrSizedOperandSegments>()) {
    // A list of operands, or a list behind one that is always there.
    auto &sizes = result.getOrAddProperties<typename OpT::Properties>()
                      .operandSegmentSizes;
    constexpr size_t leading =
        std::tuple_size_v<std::decay_t<decltype(sizes)>> - 2;
    static_assert(leading <= 1);
    if (dataCount < leading)
      return parser.emitError(parser.getNameLoc())
             << "'" << result.name.getStringRef() << "' op takes an operand";
    sizes.front() = 1;
    sizes[leading] = static_cast<int32_t>(dataCount - leading);
    sizes.back() = static_cast<int32_t>(controlCount);
  }
  return mlir::success();
}

template <typename OpT> void printNode(OpT op, mlir::OpAsmPrinter &printer) {
  printNodeBody(op.getOperation(), op.getDataInputs(), op.getControlInputs(),
                printer);
}

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_NODE_H
