//===- Frames.cpp - The loop that each node belongs to --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Frames.h"

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Cycles.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace weir {

bool isNonStrict(Operation *op) {
  return isa<SwitchOp, SwitchNOp, MergeOp, EnterOp, ExitOp, NextIterationOp,
             LoopCondOp, ControlTriggerOp>(op);
}

bool isEverywhere(Value value) {
  return isa_and_present<ConstantOp, HandleOp>(value.getDefiningOp());
}

unsigned Frames::of(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  auto found = outside.find(op);
  return found == outside.end() ? of(op) : found->second;
}

std::string Frames::text(unsigned frame) const {
  return frame == 0 ? "the graph" : "frame '" + frames[frame].name + "'";
}

class FrameFinder {
public:
  FrameFinder(Block &block, bool remarks) : block(block), remarks(remarks) {}

  LogicalResult run();
  Frames take() { return std::move(result); }

private:
  LogicalResult visit(Operation *op);
  LogicalResult enter(EnterOp op, unsigned from);
  LogicalResult checkBackEdges(MergeOp op);
  /// What an op waits for, within the block.
  SmallVector<OpOperand *> edges(Operation *op);
  InFlightDiagnostic meet(Operation *op, OpOperand &one, OpOperand &other);
  static std::string nameOf(Value value);

  Block &block;
  bool remarks;
  Frames result;
  llvm::StringMap<unsigned> byName;
};

std::string FrameFinder::nameOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return "'" + WeirDialect::describe(op) + "'";
  auto argument = cast<BlockArgument>(value);
  if (auto graph = dyn_cast<GraphOp>(argument.getOwner()->getParentOp()))
    return "feed '" + graph.getFeedName(argument.getArgNumber()) + "'";
  return "an argument";
}

SmallVector<OpOperand *> FrameFinder::edges(Operation *op) {
  SmallVector<OpOperand *> list;
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (operand.get().getParentBlock() == &block &&
          !isEverywhere(operand.get()) && !isBackEdge(operand))
        list.push_back(&operand);
  });
  return list;
}

InFlightDiagnostic FrameFinder::meet(Operation *op, OpOperand &one,
                                     OpOperand &other) {
  auto say = [&](InFlightDiagnostic &error, OpOperand &operand) {
    error << (isa<ControlType>(operand.get().getType()) ? "waits for "
                                                        : "takes ")
          << nameOf(operand.get()) << " of "
          << result.text(result.of(operand.get()));
  };
  InFlightDiagnostic error = op->emitError()
                             << "[WEIR0111] node '" << WeirDialect::describe(op)
                             << "' ";
  say(error, one);
  error << " and ";
  say(error, other);
  error << "; a value comes into a frame through weir.enter, and out of it "
           "through weir.exit";
  for (OpOperand *operand : {&one, &other})
    if (Operation *producer = operand->get().getDefiningOp())
      error.attachNote(producer->getLoc())
          << nameOf(operand->get()) << " is here";
  return error;
}

LogicalResult FrameFinder::enter(EnterOp op, unsigned from) {
  auto [known, isNew] = byName.try_emplace(op.getFrame(), 0);
  int64_t parallel = op.getParallelIterations();
  if (isNew) {
    known->second = result.frames.size();
    result.frames.push_back({op.getFrame().str(), from, parallel, op, nullptr});
  }
  Frame &frame = result.frames[known->second];
  result.outside[op] = known->second;
  if (frame.parent != from) {
    InFlightDiagnostic error =
        op.emitError() << "[WEIR0112] node '" << WeirDialect::describe(op)
                       << "' enters frame '" << frame.name << "' from "
                       << result.text(from) << ", '"
                       << WeirDialect::describe(frame.enter) << "' from "
                       << result.text(frame.parent)
                       << "; give the frames two names";
    error.attachNote(frame.enter->getLoc()) << "the frame is entered here";
    return error;
  }
  if (frame.parallelIterations != parallel) {
    int64_t smaller = std::min(frame.parallelIterations, parallel);
    if (remarks) {
      InFlightDiagnostic remark =
          op.emitRemark() << "[WEIR0116] node '" << WeirDialect::describe(op)
                          << "' lets " << parallel << " iterations of frame '"
                          << frame.name << "' run at a time, '"
                          << WeirDialect::describe(frame.enter) << "' "
                          << frame.parallelIterations << "; it will be "
                          << smaller;
      remark.attachNote(frame.enter->getLoc()) << "the frame is entered here";
    }
    frame.parallelIterations = smaller;
  }
  return success();
}

LogicalResult FrameFinder::visit(Operation *op) {
  SmallVector<OpOperand *> waits = edges(op);
  unsigned frame = waits.empty() ? 0 : result.of(waits.front()->get());
  for (OpOperand *edge : waits)
    if (result.of(edge->get()) != frame)
      return meet(op, *waits.front(), *edge);
  result.inside[op] = frame;
  std::string name = "node '" + WeirDialect::describe(op) + "'";
  if (auto node = dyn_cast<EnterOp>(op))
    return enter(node, frame);
  if (isa<ExitOp, NextIterationOp>(op)) {
    if (frame == 0)
      return op->emitError()
             << "[WEIR0112] " << name
             << (isa<ExitOp>(op) ? " leaves a frame" : " starts an iteration")
             << ", but its operand " << nameOf(op->getOperand(0))
             << " is in the graph itself, in no frame; weir.enter leads into "
                "one";
    if (isa<ExitOp>(op))
      result.outside[op] = result.frames[frame].parent;
    return success();
  }
  if (isa<LoopCondOp>(op) && frame != 0) {
    Operation *&condition = result.frames[frame].condition;
    if (condition) {
      InFlightDiagnostic error = op->emitError()
                                 << "[WEIR0112] " << name << " and '"
                                 << WeirDialect::describe(condition)
                                 << "' are both the condition of "
                                 << result.text(frame) << "; a loop has one";
      error.attachNote(condition->getLoc()) << "the other one is here";
      return error;
    }
    condition = op;
  }
  if (auto merge = dyn_cast<MergeOp>(op); merge && frame != 0)
    for (Value input : merge.getInputs())
      if (isEverywhere(input))
        return op->emitError()
               << "[WEIR0117] " << name << " of " << result.text(frame)
               << " takes the constant " << nameOf(input)
               << ", which would start it by itself in every iteration; put "
                  "weir.enter before it, or weir.identity with `after`";
  if (isa<FetchOp>(op) && frame != 0) {
    OpOperand &edge = *waits.front();
    InFlightDiagnostic error =
        op->emitError() << "[WEIR0111] the fetch is in the graph, but "
                        << nameOf(edge.get()) << " in " << result.text(frame)
                        << "; a value comes out of it through weir.exit";
    error.attachNote(edge.get().getLoc()) << nameOf(edge.get()) << " is here";
    return error;
  }
  return success();
}

/// What comes back has to be of the frame that it comes back to.
LogicalResult FrameFinder::checkBackEdges(MergeOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isBackEdge(operand))
      continue;
    unsigned from = result.of(operand.get());
    if (from == result.of(op.getOperation()))
      continue;
    for (OpOperand &other : op->getOpOperands())
      if (!isBackEdge(other) && !isEverywhere(other.get()))
        return meet(op, other, operand);
    if (from != 0) // it has no other operand
      result.inside[op] = from;
  }
  return success();
}

LogicalResult FrameFinder::run() {
  SmallVector<Operation *> order = topologicalOrder(block);
  for (Operation *op : order)
    if (!isa<ConstantOp, HandleOp>(op) && failed(visit(op)))
      return failure();
  for (Operation *op : order)
    if (auto merge = dyn_cast<MergeOp>(op);
        merge && failed(checkBackEdges(merge)))
      return failure();
  return success();
}

FailureOr<Frames> Frames::compute(Block &block, bool remarks) {
  FrameFinder finder(block, remarks);
  if (failed(finder.run()))
    return failure();
  return finder.take();
}

} // namespace weir
