//===- Step.cpp - One run of one graph ------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Step.h"

#include "dialects/Weir/Shape.h"
#include "mlir/Transforms/RegionUtils.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <queue>

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The nodes that a node waits for: those of its operands, data and control,
/// and of what its regions use.
static SmallVector<Operation *> predecessors(Operation *op) {
  llvm::SetVector<Value> used;
  used.insert_range(op->getOperands());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  llvm::SetVector<Operation *> nodes;
  for (Value value : used)
    if (Operation *node = value.getDefiningOp())
      nodes.insert(node);
  return nodes.takeVector();
}

llvm::Expected<std::vector<Operation *>> Step::order() {
  llvm::DenseMap<Operation *, unsigned> position;
  for (auto [i, op] : llvm::enumerate(graph.getBody().front()))
    position[&op] = static_cast<unsigned>(i);

  // What is needed, how many nodes each of it waits for, and who waits for it.
  llvm::DenseMap<Operation *, unsigned> waiting;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> successors;
  SmallVector<Operation *> worklist{graph.getFetch()};
  waiting[graph.getFetch()] = 0;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    SmallVector<Operation *> needed = predecessors(op);
    waiting[op] = static_cast<unsigned>(needed.size());
    for (Operation *node : needed) {
      successors[node].push_back(op);
      if (waiting.try_emplace(node, 0).second)
        worklist.push_back(node);
    }
  }

  using Ready = std::pair<unsigned, Operation *>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (auto [op, count] : waiting)
    if (count == 0)
      ready.emplace(position[op], op);
  std::vector<Operation *> ordered;
  while (!ready.empty()) {
    Operation *op = ready.top().second;
    ready.pop();
    ordered.push_back(op);
    waiting.erase(op);
    for (Operation *next : successors.lookup(op))
      if (--waiting[next] == 0)
        ready.emplace(position[next], next);
  }
  if (!waiting.empty())
    return cycleError(waiting);
  return ordered;
}

llvm::Error
Step::cycleError(const llvm::DenseMap<Operation *, unsigned> &waiting) {
  // Each of these waits for another of them: going back always ends in a cycle.
  SmallVector<Operation *> path{waiting.begin()->first};
  for (Operation &op : graph.getBody().front())
    if (waiting.contains(&op)) {
      path = {&op};
      break;
    }
  for (;;) {
    SmallVector<Operation *> nodes = predecessors(path.back());
    Operation *next = *llvm::find_if(
        nodes, [&](Operation *node) { return waiting.contains(node); });
    auto *seen = llvm::find(path, next);
    if (seen == path.end()) {
      path.push_back(next);
      continue;
    }
    SmallVector<std::string> names;
    for (Operation *node : llvm::make_range(seen, path.end()))
      names.push_back("'" + WeirDialect::describe(node) + "'");
    return nodeError(next, "WEIR0103",
                     "the node waits for itself, by way of " +
                         llvm::join(names, ", ") +
                         "; only weir.next_iteration may close a cycle");
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<Tensor>> Step::run(ArrayRef<Tensor> feeds) {
  auto ordered = order();
  if (!ordered)
    return ordered.takeError();
  for (auto [argument, feed] :
       llvm::zip_equal(graph.getBody().getArguments(), feeds))
    values[argument] = feed;
  for (Operation *op : *ordered)
    if (llvm::Error error = runNode(op))
      return error;
  std::vector<Tensor> fetches;
  for (Value value : graph.getFetch().getValues())
    fetches.push_back(valueOf(value));
  return fetches;
}

llvm::Error Step::define(Value result, Tensor value) {
  ArrayRef<int64_t> declared =
      cast<RankedTensorType>(result.getType()).getShape();
  if (failed(verifyCompatibleShape(declared, value.getShape())))
    return nodeError(result.getDefiningOp(), code::extents,
                     "the result has shape " + shapeText(value.getShape()) +
                         ", but is declared as " + shapeText(declared));
  values[result] = std::move(value);
  return llvm::Error::success();
}

llvm::Error Step::runNode(Operation *op) {
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case<FetchOp, NoOpOp, CompletedOp>(
          [](auto) { return llvm::Error::success(); })
      .Case([&](ReadOp node) { return read(node); })
      .Case([&](AssignOp node) {
        return assign(node, node.getVariable(), node.getValue(),
                      Update::Replace);
      })
      .Case([&](AssignAddOp node) {
        return assign(node, node.getVariable(), node.getValue(), Update::Add);
      })
      .Case([&](AssignSubOp node) {
        return assign(node, node.getVariable(), node.getValue(),
                      Update::Subtract);
      })
      .Case([&](IsInitializedOp node) {
        return define(
            node.getValue(),
            Tensor::scalar(WEIR_BOOL, variables.contains(node.getVariable())));
      })
      .Case([&](CheckNumericsOp node) { return checkNumerics(node); })
      .Case([&](SaveOp node) { return save(node); })
      .Case([&](RestoreOp node) { return restore(node); })
      .Case([&](GroupOp node) { return runGroup(node); })
      .Case([&](GradientsOp) {
        return nodeError(op, "WEIR0131",
                         "gradients have to be expanded before a graph runs "
                         "(--weir-autodiff-expand-gradients)");
      })
      .Default([&](Operation *) -> llvm::Error {
        auto node = dyn_cast<NodeInterface>(op);
        SmallVector<Tensor> operands;
        if (node)
          for (Value operand : node.getDataInputs())
            operands.push_back(valueOf(operand));
        auto result = evaluatePure(op, operands);
        return result ? define(op->getResult(0), std::move(*result))
                      : result.takeError();
      });
}

llvm::Error Step::runGroup(GroupOp group) {
  for (Operation &op : group.getBody().front().without_terminator())
    if (llvm::Error error = runNode(&op))
      return error;
  auto yield = cast<YieldOp>(group.getBody().front().getTerminator());
  for (auto [result, value] :
       llvm::zip_equal(group.getResults(), yield.getValues()))
    if (isa<RankedTensorType>(result.getType()))
      if (llvm::Error error = define(result, valueOf(value)))
        return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

llvm::Error Step::read(ReadOp op) {
  auto found = variables.find(op.getVariable());
  if (found == variables.end())
    return nodeError(op, code::uninitialized,
                     "variable '" + op.getVariable() +
                         "' is read before it has a value; assign it first, or "
                         "run the entry that does");
  return define(op.getValue(), found->second);
}

llvm::Error Step::assign(Operation *op, StringRef name, Value value,
                         Update update) {
  Tensor next = valueOf(value);
  auto declared = cast<RankedTensorType>(
      cast<VariableOp>(SymbolTable::lookupNearestSymbolFrom(
                           op, StringAttr::get(op->getContext(), name)))
          .getType());
  if (llvm::Error error =
          checkExtents(op, next.getShape(), declared.getShape()))
    return error;
  if (update != Update::Replace) {
    auto found = variables.find(name);
    if (found == variables.end())
      return nodeError(op, code::uninitialized,
                       "variable '" + name +
                           "' is changed before it has a value; assign it "
                           "first, or run the entry that does");
    next = combine(found->second, next, update == Update::Subtract);
  }
  variables[name] = std::move(next);
  return llvm::Error::success();
}

llvm::Error Step::checkNumerics(CheckNumericsOp op) {
  const Tensor &input = valueOf(op.getInput());
  for (int64_t i = 0; i < input.size(); ++i)
    if (double value = input.getDouble(i); !std::isfinite(value))
      return nodeError(op, code::notFinite,
                       op.getMessage() + ": element " + Twine(i) + " of " +
                           describe(input) + " is " +
                           (std::isnan(value) ? "NaN"
                            : value > 0       ? "infinite"
                                              : "-infinite"));
  return define(op.getResult(), input);
}

/// The runtime's error, with the node behind its code.
static llvm::Error checkpointError(Operation *op, rt::Status status) {
  std::string context = llvm::toString(nodeError(op, "", ""));
  return llvm::createStringError(
      std::move(status)
          .withContext(StringRef(context).drop_front(3).str())
          .message());
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

llvm::Error Step::save(SaveOp op) {
  SmallVector<Tensor> tensors;
  for (Value value : op.getValues())
    tensors.push_back(valueOf(value));
  rt::Status status = rt::saveCheckpoint(rt::Env::posix(),
                                         valueOf(op.getPath()).readStrings()[0],
                                         namedViews(op.getNames(), tensors));
  return status.ok() ? llvm::Error::success()
                     : checkpointError(op, std::move(status));
}

llvm::Error Step::restore(RestoreOp op) {
  SmallVector<Tensor> tensors;
  for (Type type : op.getValues().getTypes()) {
    auto tensor =
        resultTensor(op, dtypeOf(cast<RankedTensorType>(type).getElementType()),
                     cast<RankedTensorType>(type).getShape());
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  rt::Status status = rt::restoreCheckpoint(
      rt::Env::posix(), valueOf(op.getPath()).readStrings()[0],
      namedViews(op.getNames(), tensors));
  if (!status.ok())
    return checkpointError(op, std::move(status));
  for (auto [result, tensor] : llvm::zip_equal(op.getValues(), tensors))
    if (llvm::Error error = define(result, std::move(tensor)))
      return error;
  return llvm::Error::success();
}

} // namespace weir
