//===- CheckNodes.cpp - Checks at run time, checkpoints -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"
#include "lib/Interpreter/NodeRun.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/Checkpoint.h"

using namespace mlir;

namespace weir {

static llvm::Error runCheckNumerics(NodeRun &run) {
  const Tensor &input = run.tensor(0);
  for (int64_t i = 0; i < input.size(); ++i)
    if (double value = input.getDouble(i); !std::isfinite(value))
      return run.error(code::notFinite,
                       cast<CheckNumericsOp>(run.op).getMessage() +
                           ": element " + Twine(i) + " of " + describe(input) +
                           " is " +
                           (std::isnan(value) ? "NaN"
                            : value > 0       ? "infinite"
                                              : "-infinite"));
  run.results[0] = input;
  return llvm::Error::success();
}

/// The shape that a value of unknown extents should have, as text.
static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static llvm::Error runEnsureShape(NodeRun &run) {
  auto type = cast<TensorType>(run.op->getResult(0).getType());
  const Tensor &input = run.tensor(0);
  if (dtypeOf(type.getElementType()) != input.getDType() ||
      (type.hasRank() &&
       failed(verifyCompatibleShape(type.getShape(), input.getShape()))))
    return run.error(
        "WEIR0335",
        "the shape of the value is not the expected one; expected " +
            typeText(type) + ", got " + describe(input));
  run.results[0] = input;
  return llvm::Error::success();
}

/// Element `i` as text; floats with as many digits as tell them apart.
static std::string elementText(const Tensor &tensor, int64_t i) {
  if (tensor.isString())
    return tensor.readStrings()[static_cast<size_t>(i)];
  return dispatch(tensor.getDType(), [&](auto zero) -> std::string {
    using T = decltype(zero);
    T element = tensor.read<T>()[i];
    if constexpr (std::same_as<T, bool>)
      return element ? "true" : "false";
    else if constexpr (std::same_as<T, double>)
      return rt::numberText(element, 17);
    else if constexpr (IsFloat<T>)
      return rt::numberText(convertTo<double>(element), 9);
    else
      return std::to_string(element);
  });
}

/// "[1 2 3...]": the first elements.
static std::string summary(const Tensor &tensor) {
  constexpr int64_t shown = 3;
  std::string text = "[";
  for (int64_t i = 0; i < std::min(tensor.size(), shown); ++i)
    text += (i ? " " : "") + elementText(tensor, i);
  return text + (tensor.size() > shown ? "...]" : "]");
}

static llvm::Error runAssert(NodeRun &run) {
  const Tensor &condition = run.tensor(0);
  bool holds = true;
  for (int64_t i = 0; i < condition.size(); ++i)
    holds &= condition.read<bool>()[i];
  if (holds)
    return llvm::Error::success();
  std::string text =
      ("assertion failed: " + cast<AssertOp>(run.op).getMessage()).str();
  for (unsigned i = 1; i < run.operands.size(); ++i)
    text += " " + summary(run.tensor(i));
  WeirCode code = cast<AssertOp>(run.op).getOutOfRange()
                      ? WEIR_OUT_OF_RANGE
                      : WEIR_INVALID_ARGUMENT;
  return run.error({"WEIR0336", code}, text);
}

static llvm::Error runForeign(NodeRun &run) {
  auto op = cast<ForeignOp>(run.op);
  StringRef reason = op.getReason();
  return run.error({"WEIR0337", WEIR_UNIMPLEMENTED},
                   "this version of Weir cannot run op '" + op.getOp() + "'" +
                       (reason.empty() ? "" : ": ") + reason);
}

static std::vector<rt::NamedTensor> namedViews(ArrayAttr names,
                                               ArrayRef<Tensor> tensors) {
  std::vector<rt::NamedTensor> views;
  std::vector<WeirString> noStrings;
  for (auto [name, tensor] :
       llvm::zip_equal(names.getAsValueRange<StringAttr>(), tensors))
    views.push_back({name, tensor.view(noStrings)});
  return views;
}

static llvm::Error runSave(NodeRun &run) {
  SmallVector<Tensor> tensors;
  for (unsigned i = 1; i < run.operands.size(); ++i)
    tensors.push_back(run.tensor(i));
  return statusError(
      run.op,
      rt::saveCheckpoint(rt::Env::posix(), run.tensor(0).readStrings()[0],
                         namedViews(cast<SaveOp>(run.op).getNames(), tensors)));
}

static llvm::Error runRestore(NodeRun &run) {
  auto op = cast<RestoreOp>(run.op);
  SmallVector<Tensor> tensors;
  for (Type type : op.getValues().getTypes()) {
    auto declared = cast<RankedTensorType>(type);
    auto tensor = resultTensor(op, dtypeOf(declared.getElementType()),
                               declared.getShape());
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  if (llvm::Error error =
          statusError(op, rt::restoreCheckpoint(
                              rt::Env::posix(), run.tensor(0).readStrings()[0],
                              namedViews(op.getNames(), tensors))))
    return error;
  run.setTensors(tensors);
  return llvm::Error::success();
}

void addCheckNodes(NodeTable &table) {
  table.add<CheckNumericsOp>(runCheckNumerics);
  table.add<EnsureShapeOp>(runEnsureShape);
  table.add<AssertOp>(runAssert);
  table.add<ForeignOp>(runForeign);
  table.add<SaveOp>(runSave);
  table.add<RestoreOp>(runRestore);
}

} // namespace weir
