//===- ControlFlow.cpp - Dataflow control flow to structured --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Raise/Normalize.h"
#include "passes/Raise/Passes.h"
#include "passes/Raise/Raising.h"

namespace weir {
#define GEN_PASS_DEF_RAISECONTROLFLOW
#include "passes/Raise/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;
using namespace weir::raise;

/// Says at the node that decides why something stays dataflow.
static void say(Operation *at, StringRef what, const Refusal &refusal) {
  InFlightDiagnostic said = at->emitRemark() << "the " << what << " of '"
                                             << WeirDialect::describe(at)
                                             << "' stays dataflow: ";
  if (!refusal.node) {
    said << refusal.reason;
    return;
  }
  said << "'" << WeirDialect::describe(refusal.node) << "': " << refusal.reason;
  if (refusal.node != at)
    said.attachNote(refusal.node->getLoc()) << "it is here";
}

static bool holdsControlFlow(GraphOp graph) {
  return llvm::any_of(graph.getBody().front(), [](Operation &op) {
    return isa<SwitchOp, SwitchNOp, MergeOp, EnterOp, ControlTriggerOp>(op);
  });
}

/// Raises one loop that has no other in it. Returns false when there is none;
/// then `refused` says why.
static bool raiseOneLoop(GraphOp graph,
                         std::vector<std::pair<Operation *, Refusal>> &refused,
                         bool &mixed) {
  refused.clear();
  std::optional<std::deque<Level>> levels = findLevels(graph);
  mixed = !levels;
  if (!levels)
    return false;
  normalizeControls(*levels);
  for (Level &level : llvm::reverse(*levels)) {
    if (!level.parent)
      continue;
    std::optional<Refusal> refusal;
    if (level.children == 0) {
      normalizeMerges(level);
      refusal = raiseLoop(graph, level);
      if (!refusal)
        return true;
    } else {
      refusal =
          Refusal{Value(), nullptr, "it holds a loop that stays dataflow"};
    }
    Operation *at = level.enters.front();
    for (Operation *op : level.nodes)
      if (isa<LoopCondOp>(op))
        at = op;
    refused.push_back({at, *refusal});
  }
  return false;
}

/// True for a Switch on the condition of one of the loops.
static bool
decidesLoop(Operation *op,
            const std::vector<std::pair<Operation *, Refusal>> &loops) {
  bool inverted = false;
  Value root = rootOf(op->getOperand(1), inverted);
  return llvm::any_of(loops, [&](const auto &loop) {
    auto condition = dyn_cast<LoopCondOp>(loop.first);
    return condition && rootOf(condition.getResult(), inverted) == root;
  });
}

namespace {
class ControlFlow : public weir::impl::RaiseControlFlowBase<ControlFlow> {
  void runOnOperation() override {
    GraphOp graph = getOperation();
    auto module = graph->getParentOfType<ModuleOp>();
    if (!holdsControlFlow(graph) ||
        (module && module->hasAttr(noRaiseAttrName)))
      return;
    std::vector<std::pair<Operation *, Refusal>> loops;
    bool mixed = false;
    while (raiseOneLoop(graph, loops, mixed))
      ;
    if (mixed)
      return; // An error, which is not this pass's to report.
    for (auto &[at, refusal] : loops)
      say(at, "loop", refusal);
    std::optional<std::deque<Level>> levels = findLevels(graph);
    if (!levels)
      return;
    for (Level &level : *levels) {
      normalizeMerges(level);
      for (const Refusal &refusal : raiseConditionals(graph, level))
        // Of a loop it has been said.
        if (refusal.at && !decidesLoop(refusal.at, loops))
          say(refusal.at, "conditional", refusal);
    }
  }
};
} // namespace
