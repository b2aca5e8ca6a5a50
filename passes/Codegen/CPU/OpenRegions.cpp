//===- OpenRegions.cpp - Where a step may end, blocks and branches --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Codegen/CPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CPUOPENREGIONS
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// True if a call of the runtime will be in it.
static bool holdsCalls(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<rt::RtDialect>(inner->getDialect()) ||
                       isa<memref::AllocOp, memref::DeallocOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What may be done between two polls, in ops: some tens of microseconds.
static constexpr int64_t workBetweenPolls = 1 << 16;
/// What a loop of unknown length is taken to do, in iterations.
static constexpr int64_t unknownIterations = 1024;

/// How often the regions of `op` run, or, for a copy, what it moves; no more
/// than workBetweenPolls.
static int64_t timesOf(Operation &op) {
  int64_t times = 1;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    SmallVector<int64_t> counts = getConstLoopTripCounts(loop);
    if (counts.empty())
      return unknownIterations;
    for (int64_t count : counts)
      times *= std::min(count, workBetweenPolls / std::max<int64_t>(times, 1));
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = cast<BaseMemRefType>(copy.getSource().getType());
    times = type.hasStaticShape() ? type.getNumElements() : unknownIterations;
  }
  return std::min(times, workBetweenPolls);
}

/// A rough count of the ops that run when the region runs once; no more than
/// workBetweenPolls.
static int64_t workOf(Region &region) {
  int64_t work = 0;
  for (Operation &op : region.getOps()) {
    int64_t each = 1;
    for (Region &inner : op.getRegions())
      each += workOf(inner);
    work += std::min(timesOf(op) * each, workBetweenPolls);
  }
  return std::min(work, workBetweenPolls);
}

/// The poll of a loop, if it has one, behind all else that its body does.
static rt::PollOp settlePoll(scf::WhileOp loop) {
  auto polls = loop.getAfterBody()->getOps<rt::PollOp>();
  if (polls.empty())
    return {};
  rt::PollOp poll = *polls.begin();
  poll->moveBefore(loop.getYieldOp());
  return poll;
}

/// Makes a loop of blocks, at whose end `poll` stands, one of `iterations` at
/// most, in another one that polls.
static void nest(rt::PollOp poll, int64_t iterations) {
  Location loc = poll.getLoc();
  Block *last = poll->getBlock();
  auto back = cast<cf::BranchOp>(last->getTerminator());
  Block *inner = back.getDest();
  OpBuilder b(poll->getContext());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  // The outer loop begins with a number of iterations for the inner one.
  SmallVector<Type> types(inner->getArgumentTypes());
  SmallVector<Location> locations(types.size(), loc);
  Block *outer = b.createBlock(inner, types, locations);
  for (Block *before : SmallVector<Block *>(inner->getPredecessors()))
    if (Operation *entering = before->getTerminator(); before != last)
      for (unsigned i = 0; i < entering->getNumSuccessors(); ++i)
        if (entering->getSuccessor(i) == inner)
          entering->setSuccessor(outer, i);
  Value counter = inner->addArgument(b.getI32Type(), loc);
  SmallVector<Value> first(outer->getArguments());
  first.push_back(constant(iterations));
  cf::BranchOp::create(b, loc, inner, first);
  // It ends where none is left.
  SmallVector<Value> next(back.getDestOperands());
  Block *polling = b.createBlock(last->getNextNode());
  cf::BranchOp::create(b, loc, outer, next);
  poll->moveBefore(polling, polling->begin());
  b.setInsertionPoint(back);
  Value left = arith::SubIOp::create(b, loc, counter, constant(1));
  Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, left,
                                     constant(0));
  next.push_back(left);
  cf::CondBranchOp::create(b, loc, none, polling, ValueRange(), inner, next);
  back.erase();
}

namespace {
struct OpenRegions : weir::impl::CpuOpenRegionsBase<OpenRegions> {
  void runOnOperation() override {
    // Found before anything changes: what is inside moves out.
    llvm::DenseSet<Operation *> opened;
    SmallVector<std::pair<rt::PollOp, int64_t>> polls;
    getOperation().walk([&](Operation *op) {
      if (isa<scf::IfOp, scf::WhileOp, scf::ForOp>(op) && holdsCalls(op))
        opened.insert(op);
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        if (rt::PollOp poll = settlePoll(loop))
          polls.emplace_back(
              poll, workBetweenPolls /
                        (workOf(loop.getBefore()) + workOf(loop.getAfter())));
    });
    if (opened.empty())
      return;
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return !opened.contains(op); });
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    for (auto [poll, iterations] : polls)
      if (iterations > 1)
        nest(poll, iterations);
  }
};
} // namespace
