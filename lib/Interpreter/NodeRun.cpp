//===- NodeRun.cpp - One run of one node ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/NodeRun.h"

#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Kernels.h"

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Waiting, symbols
//===----------------------------------------------------------------------===//

void Wait::end(rt::Status newStatus, std::vector<rt::TensorRef> newResults) {
  ended = true;
  status = std::move(newStatus);
  results = std::move(newResults);
  if (onEnd)
    onEnd();
}

std::shared_ptr<Wait> NodeRun::startWait(int64_t timeoutMs, std::string what) {
  wait = std::make_shared<Wait>();
  wait->timeoutMs = timeoutMs;
  wait->what = std::move(what);
  return wait;
}

llvm::Expected<Handle> Symbols::find(StringRef name) {
  if (auto found = known.find(name); found != known.end())
    return found->second;
  llvm::Expected<Handle> handle = state.get(module.lookupSymbol(name));
  if (handle)
    known[name] = *handle;
  return handle;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

llvm::Expected<int64_t> NodeRun::integer(unsigned i) const {
  if (tensor(i).getRank() == 0)
    return tensor(i).getInteger(0);
  return error(code::operand, "operand " + Twine(i) +
                                  " has to be a scalar, but is " +
                                  describe(tensor(i)));
}

llvm::Error NodeRun::wrongHandle(unsigned i, StringRef what) const {
  Handle handle = operands[i].handle();
  return error(code::handle, "operand " + Twine(i) + " has to be a handle of " +
                                 what + ", but names " +
                                 (handle ? handle->describe() : "nothing"));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void NodeRun::setTensors(ArrayRef<Tensor> tensors) {
  for (auto [result, tensor] : llvm::zip(results, tensors))
    result = tensor;
}

llvm::Error NodeRun::setTensors(ArrayRef<rt::TensorRef> tensors) {
  for (auto [result, tensor] : llvm::zip(results, tensors)) {
    llvm::Expected<Tensor> copy = Tensor::fromView(tensor.view());
    if (!copy)
      return error(code::extents, llvm::toString(copy.takeError()));
    result = std::move(*copy);
  }
  return llvm::Error::success();
}

/// Does `tensor` have the type that a result is declared to have?
static bool fits(Type type, const Tensor &tensor) {
  auto declared = dyn_cast<ShapedType>(type);
  if (!declared)
    return type.isInteger(1);
  return dtypeOf(declared.getElementType()) == tensor.getDType() &&
         (!declared.hasRank() || succeeded(verifyCompatibleShape(
                                     declared.getShape(), tensor.getShape())));
}

llvm::Error checkResults(Operation *op, ArrayRef<Datum> results) {
  for (auto [result, datum] : llvm::zip_equal(op->getResults(), results)) {
    const Tensor *tensor = datum.tensor();
    if (!tensor || fits(result.getType(), *tensor))
      continue;
    std::string declared;
    llvm::raw_string_ostream(declared) << result.getType();
    // What other nodes may give was checked when they were compiled.
    bool isCall = isa<RuntimeCallInterface>(op);
    return nodeError(op, isCall ? code::output : code::extents,
                     "result " + Twine(result.getResultNumber()) + " is " +
                         describe(*tensor) + ", but is declared as " +
                         declared);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Nodes whose value is a function of their operands.
static llvm::Error runPure(NodeRun &run) {
  SmallVector<Tensor> tensors;
  for (const Datum &operand : run.operands)
    if (const Tensor *tensor = operand.tensor())
      tensors.push_back(*tensor);
  if (tensors.size() != run.operands.size())
    return run.error(code::handle, "a handle is no operand of such a node");
  llvm::Expected<Tensor> result = evaluatePure(run.op, tensors);
  if (!result)
    return result.takeError();
  run.results[0] = std::move(*result);
  return llvm::Error::success();
}

NodeFunction nodeFunctionOf(Operation *op) {
  static const NodeTable table = [] {
    NodeTable table;
    addValueNodes(table);
    addVariableNodes(table);
    addCheckNodes(table);
    addQueueNodes(table);
    addArrayNodes(table);
    addInputNodes(table);
    addDataNodes(table);
    return table;
  }();
  NodeFunction function = table.lookup(op);
  return function ? function : runPure;
}

llvm::Error runNode(NodeRun &run, NodeFunction function) {
  if (llvm::Error error = function(run))
    return error;
  if (run.wait)
    return run.wait->hasEnded() ? finishWait(run) : llvm::Error::success();
  return checkResults(run.op, run.results);
}

llvm::Error finishWait(NodeRun &run) {
  std::shared_ptr<Wait> wait = std::move(run.wait);
  if (!wait->status.ok())
    return statusError(run.op, std::move(wait->status));
  if (llvm::Error error = run.setTensors(wait->results))
    return error;
  return checkResults(run.op, run.results);
}

} // namespace weir
