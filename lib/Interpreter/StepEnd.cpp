//===- StepEnd.cpp - What a step gives, and why it gives nothing ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Step.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir {

using Role = Plan::Role;

/// "'name' at file:line".
static std::string nameOf(Operation *op) {
  return StringRef(nodePlace(op)).drop_back(2).str();
}

/// The node that gives a value, or the name of the feed.
static std::string nameOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return nameOf(op);
  auto argument = cast<BlockArgument>(value);
  auto graph = dyn_cast<GraphOp>(argument.getOwner()->getParentOp());
  return graph ? "feed '" + graph.getFeedName(argument.getArgNumber()) + "'"
               : "an argument";
}

llvm::Error Step::deadError(unsigned fetch, Operation *killer) const {
  std::string why = "because " + nameOf(killer) + " did not run";
  if (isa<SwitchOp, SwitchNOp>(killer))
    why = "because " + nameOf(killer) +
          " took another side, as its predicate " +
          nameOf(killer->getOperand(1)) + " said";
  Value value = plan.nodes.back().inputs[fetch];
  std::string what = "fetch '" + GraphOp(plan.graph).getFetchName(fetch) +
                     "' has no value: it is dead, " + why;
  Operation *op = value.getDefiningOp();
  return op ? nodeError(op, code::deadFetch, what)
            : stepError(code::deadFetch, what);
}

llvm::Error Step::finish() {
  // Nobody else will end a wait: the first time-out that would pass, passes.
  auto first = waiting.end();
  for (auto node = waiting.begin(); node != waiting.end(); ++node) {
    int64_t time = node->second.wait->timeoutMs;
    if (time >= 0 &&
        (first == waiting.end() || time < first->second.wait->timeoutMs))
      first = node;
  }
  if (first != waiting.end()) {
    int64_t time = first->second.wait->timeoutMs;
    std::shared_ptr<Wait> wait = first->second.wait;
    wait->token.cancel("the time-out of " + std::to_string(time) +
                           " ms has passed",
                       WEIR_DEADLINE_EXCEEDED);
    // It fails, or completes at this very moment.
    if (llvm::Error error = advance())
      return error;
    return finish();
  }
  if (!waiting.empty())
    return stallError();
  for (const std::optional<Datum> &datum : fetched)
    if (!datum)
      return cannotFinish();
  return missingTargets > 0 ? cannotFinish() : llvm::Error::success();
}

llvm::Error Step::stallError() const {
  SmallVector<std::string> texts;
  for (const auto &[number, node] : waiting)
    texts.push_back(nameOf(plan.nodes[node.node].op) + " waits for " +
                    node.wait->what);
  return stepError(interruption.hasDeadline() ? code::deadline : code::stalled,
                   "the step waits for what no node of it will do: " +
                       llvm::join(texts, "; "));
}

llvm::Error Step::cannotFinish() const {
  // Back from the fetches, along what never ran.
  SmallVector<std::string> texts;
  std::deque<unsigned> worklist{static_cast<unsigned>(plan.nodes.size() - 1)};
  llvm::DenseSet<unsigned> seen{worklist.front()};
  constexpr size_t limit = 8;
  while (!worklist.empty() && texts.size() < limit) {
    const Plan::Node &node = plan.nodes[worklist.front()];
    worklist.pop_front();
    SmallVector<std::string> missing;
    for (Value operand : node.op->getOperands()) {
      std::optional<unsigned> source = plan.producer(operand);
      bool isFetch = node.role == Role::Fetch;
      if (!source || (hasRun[*source] && !isFetch))
        continue;
      // An exit may have run, and been dead, in iterations before the last.
      if (hasRun[*source] && plan.nodes[*source].role != Role::Exit)
        continue;
      missing.push_back(nameOf(plan.nodes[*source].op));
      if (seen.insert(*source).second)
        worklist.push_back(*source);
    }
    if (missing.empty())
      continue;
    texts.push_back((node.role == Role::Fetch ? "the fetches wait"
                                              : nameOf(node.op) + " waits") +
                    " for " + llvm::join(missing, ", "));
  }
  return stepError(code::cannotFinish,
                   "entry '" + GraphOp(plan.graph).getSymName() +
                       "' cannot finish: nothing can run any more, but " +
                       llvm::join(texts, "; "));
}

} // namespace weir
