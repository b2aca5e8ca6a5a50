//===- Races.cpp - Accesses without an order ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Accesses.h"
#include "lib/Analysis/Deadness.h"
#include "lib/Analysis/Order.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Check/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace weir {
#define GEN_PASS_DEF_CHECKRACES
#include "passes/Check/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

// A graph without any order would have a pair for every two nodes.
static constexpr unsigned shownPairs = 10;

namespace {

struct Use {
  Operation *op;
  AccessKind kind;
};

class GraphRaces {
public:
  GraphRaces(GraphOp graph, SymbolTable &symbols)
      : graph(graph), block(graph.getBody().front()), symbols(symbols) {}

  LogicalResult run();

private:
  bool matters(StringRef symbol, AccessKind a, AccessKind b);
  void report(StringRef symbol, const Use &first, const Use &second);

  GraphOp graph;
  Block &block;
  SymbolTable &symbols;
};

class CheckRaces : public weir::impl::CheckRacesBase<CheckRaces> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      if (failed(GraphRaces(graph, symbols).run()))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

/// Whether it makes a difference which of the two comes first.
bool GraphRaces::matters(StringRef symbol, AccessKind a, AccessKind b) {
  Operation *state = symbols.lookup(symbol);
  if (isa_and_present<VariableOp>(state))
    return !(a == AccessKind::Read && b == AccessKind::Read) &&
           !(a == AccessKind::Add && b == AccessKind::Add);
  auto queue = dyn_cast_or_null<QueueOp>(state);
  if (!queue)
    return false;
  if (a == AccessKind::Close || b == AccessKind::Close)
    return a == AccessKind::Fill || b == AccessKind::Fill;
  // Such queues choose the order of their elements themselves.
  if (queue.getKind() == QueueKind::random_shuffle)
    return false;
  return a == b &&
         !(a == AccessKind::Fill && queue.getKind() == QueueKind::priority);
}

/// "reads", "puts elements into", ....
static StringRef verbOf(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "reads";
  case AccessKind::Write:
    return "assigns";
  case AccessKind::Add:
    return "updates";
  case AccessKind::Fill:
    return "fills";
  case AccessKind::Drain:
    return "takes from";
  case AccessKind::Close:
    return "closes";
  }
  return "uses";
}

void GraphRaces::report(StringRef symbol, const Use &first, const Use &second) {
  bool isVariable = isa<VariableOp>(symbols.lookup(symbol));
  InFlightDiagnostic warning =
      second.op->emitWarning()
      << (isVariable ? "[WEIR0146] '" : "[WEIR0147] '")
      << WeirDialect::describe(second.op) << "' " << verbOf(second.kind)
      << (isVariable ? " variable '@" : " queue '@") << symbol << "' and '"
      << WeirDialect::describe(first.op) << "' " << verbOf(first.kind)
      << " it, in no order: no path of edges leads from one to the other; "
         "`after` gives them one";
  warning.attachNote(first.op->getLoc())
      << "'" << WeirDialect::describe(first.op) << "' is here";
}

LogicalResult GraphRaces::run() {
  FailureOr<Frames> frames = Frames::compute(block);
  if (failed(frames))
    return failure();
  SmallVector<Operation *> nodes;
  llvm::MapVector<StringRef, SmallVector<Use>> uses;
  for (Operation *op : neededNodes(block)) {
    auto accesses = accessesOf(op);
    if (!accesses.empty())
      nodes.push_back(op);
    for (const Access &access : accesses)
      for (StringRef symbol : access.symbols)
        uses[symbol].push_back({op, access.kind});
  }
  if (nodes.size() < 2)
    return success();
  Order order(block, nodes, *frames);
  Deadness deadness(block, *frames);
  for (auto &[symbol, list] : uses) {
    unsigned found = 0;
    for (size_t j = 0; j < list.size(); ++j)
      for (size_t i = 0; i < j; ++i) {
        const Use &a = list[i], &b = list[j];
        if (a.op == b.op || !matters(symbol, a.kind, b.kind) ||
            order.isBefore(a.op, b.op) || order.isBefore(b.op, a.op))
          continue;
        if (frames->of(a.op) == frames->of(b.op) &&
            deadness.exclude(deadness.of(a.op), deadness.of(b.op)))
          continue;
        if (++found <= shownPairs)
          report(symbol, a, b);
      }
    if (found > shownPairs)
      graph.emitRemark() << "there are " << found - shownPairs
                         << " more pairs of accesses to '@" << symbol
                         << "' without an order";
  }
  return success();
}
