//===- CheckNodes.cpp - Checks at run time, checkpoints -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"
#include "lib/Interpreter/NodeRun.h"
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
  table.add<SaveOp>(runSave);
  table.add<RestoreOp>(runRestore);
}

} // namespace weir
