//===- Deadlock.cpp - Nodes that wait for what never happens --------------===//
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
#include "llvm/ADT/StringSet.h"

namespace weir {
#define GEN_PASS_DEF_CHECKDEADLOCK
#include "passes/Check/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {

/// A graph with what is known of it.
struct Subject {
  GraphOp graph;
  Frames frames;
  std::unique_ptr<Order> order;
  std::unique_ptr<Deadness> deadness;
};

/// A node that fills or drains, and where it is.
struct Use {
  Operation *op;
  const Subject *subject;
};

/// What the whole program does to one queue, barrier or accumulator.
struct Traffic {
  Operation *state = nullptr;
  SmallVector<Use> fills, drains, closes;
};

class Program {
public:
  explicit Program(ModuleOp module) : module(module) {}
  LogicalResult check();

private:
  LogicalResult collect();
  void checkEnds(Traffic &traffic);
  void checkCycles();
  void checkCapacity(Traffic &traffic);
  void checkLiveness(const Subject &subject);
  bool comesAfter(const Use &later, const Use &earlier) const {
    return later.subject == earlier.subject &&
           later.subject->order->isBefore(earlier.op, later.op);
  }

  ModuleOp module;
  std::vector<std::unique_ptr<Subject>> subjects;
  llvm::MapVector<StringRef, Traffic> traffics;
  /// Some handle may name anything, so that what is not seen may still happen.
  bool unknownFill = false, unknownDrain = false, unknownClose = false;
};

class CheckDeadlock : public weir::impl::CheckDeadlockBase<CheckDeadlock> {
  void runOnOperation() override {
    if (failed(Program(getOperation()).check()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

static std::string nameOf(Operation *op) {
  return "'" + WeirDialect::describe(op) + "'";
}

/// "queue '@q'".
static std::string stateText(Operation *state) {
  return (state->getName().stripDialect() + " '@" +
          cast<SymbolOpInterface>(state).getName() + "'")
      .str();
}

LogicalResult Program::collect() {
  for (Operation &op : *module.getBody())
    if (isa<QueueOp, BarrierOp, AccumulatorOp>(op))
      traffics[cast<SymbolOpInterface>(op).getName()].state = &op;
  for (GraphOp graph : module.getOps<GraphOp>()) {
    Block &block = graph.getBody().front();
    FailureOr<Frames> frames = Frames::compute(block);
    if (failed(frames))
      return failure();
    auto subject = std::make_unique<Subject>();
    subject->graph = graph;
    subject->frames = std::move(*frames);
    SmallVector<Operation *> nodes;
    for (Operation *op : neededNodes(block)) {
      bool matters = false;
      for (const Access &access : accessesOf(op)) {
        bool fills = access.kind == AccessKind::Fill,
             drains = access.kind == AccessKind::Drain,
             closes = access.kind == AccessKind::Close;
        if (!fills && !drains && !closes)
          continue;
        matters = true;
        if (!access.isComplete)
          (fills ? unknownFill : drains ? unknownDrain : unknownClose) = true;
        for (StringRef symbol : access.symbols) {
          auto found = traffics.find(symbol);
          if (found == traffics.end())
            continue;
          auto &list = fills    ? found->second.fills
                       : drains ? found->second.drains
                                : found->second.closes;
          list.push_back({op, subject.get()});
        }
      }
      if (matters)
        nodes.push_back(op);
    }
    subject->order = std::make_unique<Order>(block, nodes, subject->frames,
                                             Order::Paths::Certain);
    subject->deadness = std::make_unique<Deadness>(block, subject->frames);
    subjects.push_back(std::move(subject));
  }
  return success();
}

/// True for a queue that is never full.
static bool isUnbounded(Operation *state) {
  auto queue = dyn_cast<QueueOp>(state);
  return !queue || static_cast<int64_t>(queue.getCapacity()) == -1;
}

/// What is only taken from, or only filled.
void Program::checkEnds(Traffic &traffic) {
  Operation *state = traffic.state;
  if (!traffic.drains.empty() && traffic.fills.empty() && !unknownFill) {
    Operation *op = traffic.drains.front().op;
    InFlightDiagnostic warning = op->emitWarning()
                                 << "[WEIR0140] node " << nameOf(op)
                                 << " takes from " << stateText(state)
                                 << ", which no node of the program fills";
    warning.attachNote(state->getLoc()) << "it is declared here";
  }
  if (!traffic.fills.empty() && traffic.drains.empty() && !unknownDrain &&
      !isUnbounded(state)) {
    Operation *op = traffic.fills.front().op;
    InFlightDiagnostic warning =
        op->emitWarning()
        << "[WEIR0141] node " << nameOf(op) << " fills " << stateText(state)
        << " of capacity " << cast<QueueOp>(state).getCapacity()
        << ", which no node of the program takes from: it waits once the queue "
           "is full";
    warning.attachNote(state->getLoc()) << "it is declared here";
  }
  auto waitsForEnd = llvm::find_if(traffic.drains, [](const Use &use) {
    return isa<DequeueUpToOp, ReaderReadOp, ReaderReadUpToOp>(use.op);
  });
  if (waitsForEnd != traffic.drains.end() && traffic.closes.empty() &&
      !unknownClose && !traffic.fills.empty()) {
    InFlightDiagnostic remark =
        waitsForEnd->op->emitRemark()
        << "[WEIR0145] node " << nameOf(waitsForEnd->op)
        << " learns that there is nothing more in " << stateText(state)
        << " only when it is closed, which no node of the program does";
    remark.attachNote(state->getLoc()) << "it is declared here";
  }
}

/// Finds the queues that can be filled at all: a node that comes after one that
/// takes elements runs only once that queue was filled.
void Program::checkCycles() {
  if (unknownFill)
    return;
  llvm::StringSet<> filled;
  auto waitsFor = [&](const Use &fill) -> std::pair<StringRef, const Use *> {
    for (auto &[symbol, traffic] : traffics)
      for (const Use &drain : traffic.drains)
        if (!filled.contains(symbol) && comesAfter(fill, drain) &&
            accessesOf(drain.op).front().symbols.size() == 1)
          return {symbol, &drain};
    return {};
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[symbol, traffic] : traffics)
      for (const Use &fill : traffic.fills)
        if (!filled.contains(symbol) && !waitsFor(fill).second)
          changed |= filled.insert(symbol).second;
  }
  for (auto &[symbol, traffic] : traffics) {
    if (filled.contains(symbol) || traffic.fills.empty() ||
        traffic.drains.empty())
      continue;
    const Use &fill = traffic.fills.front();
    auto [other, drain] = waitsFor(fill);
    // One that no node fills has had its warning.
    if (traffics[other].fills.empty())
      continue;
    Operation *op = traffic.drains.front().op;
    InFlightDiagnostic warning =
        op->emitWarning() << "[WEIR0142] node " << nameOf(op) << " takes from "
                          << stateText(traffic.state)
                          << ", which is filled only after it was taken from";
    warning.attachNote(fill.op->getLoc())
        << nameOf(fill.op) << " fills " << stateText(traffic.state) << " after "
        << nameOf(drain->op);
    warning.attachNote(drain->op->getLoc())
        << nameOf(drain->op) << " takes from "
        << stateText(traffics[other].state)
        << (other == symbol
                ? ""
                : ", which waits for '@" + symbol.str() + "' in its turn");
  }
}

/// How many elements a node puts into a queue, where that is known.
static int64_t countOf(Operation *op) {
  auto many = dyn_cast<EnqueueManyOp>(op);
  if (!many)
    return isa<EnqueueOp>(op) ? 1 : 0;
  for (Value batch : many.getBatches()) {
    auto type = dyn_cast<RankedTensorType>(batch.getType());
    if (type && type.getRank() > 0 && !type.isDynamicDim(0))
      return type.getDimSize(0);
  }
  return 0;
}

/// A queue has to take all that comes before anything can be taken out.
void Program::checkCapacity(Traffic &traffic) {
  auto queue = dyn_cast<QueueOp>(traffic.state);
  if (!queue || isUnbounded(queue) || unknownDrain || traffic.drains.empty())
    return;
  for (const Use &last : traffic.fills) {
    bool allAfter = llvm::all_of(traffic.drains, [&](const Use &drain) {
      return comesAfter(drain, last);
    });
    if (!allAfter || accessesOf(last.op).front().symbols.size() != 1)
      continue;
    int64_t elements = countOf(last.op);
    for (const Use &fill : traffic.fills)
      if (comesAfter(last, fill) &&
          fill.subject->deadness->of(fill.op) == Deadness::always)
        elements += countOf(fill.op);
    if (elements <= static_cast<int64_t>(queue.getCapacity()))
      continue;
    Operation *drain = traffic.drains.front().op;
    InFlightDiagnostic warning =
        last.op->emitWarning()
        << "[WEIR0144] node " << nameOf(last.op) << " makes it " << elements
        << " elements in " << stateText(queue) << " of capacity "
        << queue.getCapacity() << " before " << nameOf(drain)
        << " takes any out: it waits for ever";
    warning.attachNote(drain->getLoc()) << nameOf(drain) << " is here";
    warning.attachNote(queue.getLoc()) << "the queue is declared here";
    return;
  }
}

/// Merges that never fire, and other nodes that need two sides of one switch.
void Program::checkLiveness(const Subject &subject) {
  const Deadness &deadness = *subject.deadness;
  GraphOp graph = subject.graph;
  Block &block = graph.getBody().front();
  for (Operation *op : neededNodes(block)) {
    auto isNever = [&](Value value) {
      return value.getParentBlock() == &block &&
             deadness.isNever(deadness.of(value));
    };
    auto merge = dyn_cast<MergeOp>(op);
    std::string why;
    if (merge && llvm::all_of(merge.getInputs(), [](Value input) {
          return isa_and_present<NextIterationOp>(input.getDefiningOp());
        }))
      why = "takes values of the iteration before only: nothing begins the "
            "loop, which is what a weir.enter does";
    else if (merge && llvm::all_of(merge.getInputs(), isNever))
      why = "never fires: each of its operands needs two sides of one "
            "predicate";
    else if (!merge && deadness.isNever(deadness.of(op)) &&
             llvm::none_of(op->getOperands(), isNever))
      why = "never runs: its operands are on two sides of one predicate, of "
            "which one is dead";
    if (!why.empty())
      op->emitWarning() << "[WEIR0143] node " << nameOf(op) << " " << why;
  }
}

LogicalResult Program::check() {
  if (failed(collect()))
    return failure();
  for (auto &[symbol, traffic] : traffics) {
    checkEnds(traffic);
    checkCapacity(traffic);
  }
  checkCycles();
  for (const auto &subject : subjects)
    checkLiveness(*subject);
  return success();
}
