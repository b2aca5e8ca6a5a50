//===- Regions.cpp - Nodes with bodies ------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of `scf.if`, `scf.while` and `weir.group` stand in an order in
// which they can run, and nothing in them is dead: one op after the other.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/NodeRun.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

namespace {
class RegionRunner {
public:
  explicit RegionRunner(NodeRun &run)
      : symbols(run.symbols), interruption(*run.interruption) {}

  void set(Value value, Datum datum) { values[value] = std::move(datum); }
  /// A control edge from outside has no datum: it has arrived.
  Datum get(Value value) const { return values.lookup(value); }
  /// Runs an op and sets its results.
  llvm::Error run(Operation *op);

private:
  /// Runs the ops of a block but its terminator.
  llvm::Error runBody(Region &region);
  llvm::Error runIf(scf::IfOp op);
  llvm::Error runWhile(scf::WhileOp op);
  llvm::Error runGroup(GroupOp op);
  llvm::Error runOther(Operation *op);

  /// The values that an op is given, all at once: a loop may swap two.
  SmallVector<Datum> take(ValueRange from) const {
    SmallVector<Datum> data;
    for (Value value : from)
      data.push_back(get(value));
    return data;
  }
  void give(SmallVector<Datum> data, ValueRange to) {
    for (auto [value, datum] : llvm::zip_equal(to, data))
      set(value, std::move(datum));
  }

  Symbols &symbols;
  Interruption &interruption;
  llvm::DenseMap<Value, Datum> values;
};
} // namespace

llvm::Error RegionRunner::run(Operation *op) {
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case([&](scf::IfOp node) { return runIf(node); })
      .Case([&](scf::WhileOp node) { return runWhile(node); })
      .Case([&](GroupOp node) { return runGroup(node); })
      .Default([&](Operation *node) { return runOther(node); });
}

llvm::Error RegionRunner::runBody(Region &region) {
  for (Operation &op : region.front().without_terminator())
    if (llvm::Error error = run(&op))
      return error;
  return llvm::Error::success();
}

llvm::Error RegionRunner::runIf(scf::IfOp op) {
  bool condition = get(op.getCondition()).tensor()->getInteger(0) != 0;
  Region &region = condition ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return llvm::Error::success();
  if (llvm::Error error = runBody(region))
    return error;
  give(take(region.front().getTerminator()->getOperands()), op.getResults());
  return llvm::Error::success();
}

llvm::Error RegionRunner::runWhile(scf::WhileOp op) {
  give(take(op.getInits()), op.getBeforeArguments());
  for (;;) {
    if (llvm::Error error = runBody(op.getBefore()))
      return error;
    scf::ConditionOp condition = op.getConditionOp();
    SmallVector<Datum> data = take(condition.getArgs());
    if (get(condition.getCondition()).tensor()->getInteger(0) == 0) {
      give(std::move(data), op.getResults());
      return llvm::Error::success();
    }
    give(std::move(data), op.getAfterArguments());
    if (llvm::Error error = runBody(op.getAfter()))
      return error;
    if (llvm::Error error = interruption.check(op))
      return error;
    give(take(op.getYieldOp().getOperands()), op.getBeforeArguments());
  }
}

llvm::Error RegionRunner::runGroup(GroupOp op) {
  if (llvm::Error error = runBody(op.getBody()))
    return error;
  give(take(op.getBody().front().getTerminator()->getOperands()),
       op.getResults());
  return checkResults(op, take(op.getResults()));
}

llvm::Error RegionRunner::runOther(Operation *op) {
  // What a constant gives is the same in each iteration.
  if (isa<ConstantOp>(op) && values.contains(op->getResult(0)))
    return llvm::Error::success();
  SmallVector<Value> inputs;
  SmallVector<Datum> operands;
  for (Value operand : op->getOperands())
    if (!isa<ControlType>(operand.getType())) {
      inputs.push_back(operand);
      operands.push_back(get(operand));
    }
  NodeRun node(op, inputs, operands, symbols);
  node.interruption = &interruption;
  if (llvm::Error error = runNode(node, nodeFunctionOf(op)))
    return error;
  if (node.wait) {
    std::string what = node.wait->what;
    node.wait->token.cancel("the step has ended");
    return nodeError(op, code::stalled,
                     "the node waits for " + what +
                         ", which cannot come while the region that it "
                         "stands in runs");
  }
  for (auto [result, datum] : llvm::zip_equal(op->getResults(), node.results))
    set(result, std::move(datum));
  return llvm::Error::success();
}

llvm::Error runRegions(NodeRun &run) {
  RegionRunner runner(run);
  for (auto [value, datum] : llvm::zip_equal(run.inputs, run.operands))
    runner.set(value, std::move(datum));
  if (llvm::Error error = runner.run(run.op))
    return error;
  for (auto [result, datum] :
       llvm::zip_equal(run.op->getResults(), run.results))
    datum = runner.get(result);
  return llvm::Error::success();
}

} // namespace weir
