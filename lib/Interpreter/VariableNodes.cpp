//===- VariableNodes.cpp - Nodes that read and change variables -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each node has two forms: by symbol, whose data operands begin with the value,
// and by handle, where they begin with the handle.
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Kernels.h"
#include "lib/Interpreter/NodeRun.h"

using namespace mlir;

namespace weir {

namespace {
/// The variable of a node, and where its other operands begin.
struct Target {
  std::shared_ptr<VariableCell> cell;
  unsigned first;
};
} // namespace

static llvm::Expected<Target> targetOf(NodeRun &run) {
  auto symbol = run.op->getAttrOfType<FlatSymbolRefAttr>("variable");
  if (!symbol) {
    auto cell = run.resource<VariableCell>(0, "a variable");
    if (!cell)
      return cell.takeError();
    return Target{std::move(*cell), 1};
  }
  llvm::Expected<Handle> handle = run.symbols.find(symbol.getValue());
  if (!handle)
    return handle.takeError();
  return Target{std::static_pointer_cast<VariableCell>(*handle), 0};
}

static llvm::Error uninitialized(NodeRun &run, const VariableCell &cell,
                                 StringRef what) {
  return run.error(code::uninitialized,
                   cell.describe() + " is " + what +
                       " before it has a value; assign it first, or run the "
                       "entry that does");
}

static llvm::Error read(NodeRun &run) {
  llvm::Expected<Target> target = targetOf(run);
  if (!target)
    return target.takeError();
  if (!target->cell->value)
    return uninitialized(run, *target->cell, "read");
  run.results[0] = *target->cell->value;
  return llvm::Error::success();
}

static llvm::Error isInitialized(NodeRun &run) {
  llvm::Expected<Target> target = targetOf(run);
  if (!target)
    return target.takeError();
  run.results[0] = Tensor::scalar(WEIR_BOOL, target->cell->value.has_value());
  return llvm::Error::success();
}

/// An error unless `value` can be one of the variable, or be added to it.
static llvm::Error checkValue(NodeRun &run, const Target &target,
                              const Tensor &value) {
  if (target.cell->mismatch(value).empty())
    return llvm::Error::success();
  if (target.first == 0)
    return checkExtents(run.op, value.getShape(), target.cell->getShape());
  return run.error(code::badVariable, target.cell->describe() + ": " +
                                          target.cell->mismatch(value));
}

static llvm::Error assign(NodeRun &run) {
  llvm::Expected<Target> target = targetOf(run);
  if (!target)
    return target.takeError();
  const Tensor &value = run.tensor(target->first);
  if (llvm::Error error = checkValue(run, *target, value))
    return error;
  target->cell->value = value;
  return llvm::Error::success();
}

template <bool subtract> static llvm::Error update(NodeRun &run) {
  llvm::Expected<Target> target = targetOf(run);
  if (!target)
    return target.takeError();
  const Tensor &change = run.tensor(target->first);
  if (llvm::Error error = checkValue(run, *target, change))
    return error;
  std::optional<Tensor> &value = target->cell->value;
  if (!value)
    return uninitialized(run, *target->cell, "changed");
  if (value->getShape() != change.getShape())
    return checkExtents(run.op, value->getShape(), change.getShape());
  value = combine(*value, change, subtract);
  return llvm::Error::success();
}

template <typename Op> static llvm::Error scatter(NodeRun &run) {
  llvm::Expected<Target> target = targetOf(run);
  if (!target)
    return target.takeError();
  std::optional<Tensor> &value = target->cell->value;
  if (!value)
    return uninitialized(run, *target->cell, "changed");
  // The type of a variable that a handle names is known only now.
  if constexpr (std::is_same_v<Op, AssignScatterResourceOp>) {
    auto type = cast<RankedTensorType>(cast<Op>(run.op).getType());
    if (dtypeOf(type.getElementType()) != value->getDType() ||
        type.getShape() != value->getShape())
      return run.error(code::badVariable, target->cell->describe() + " is " +
                                              describe(*value) +
                                              ", but the node expects shape " +
                                              shapeText(type.getShape()));
  }
  llvm::Expected<Tensor> next =
      scatterSlices(run.op, cast<Op>(run.op).getKind(), *value,
                    run.tensor(target->first), run.tensor(target->first + 1));
  if (!next)
    return next.takeError();
  value = std::move(*next);
  return llvm::Error::success();
}

static llvm::Error makeTemporary(NodeRun &run) {
  run.results[0] = Handle(std::make_shared<VariableCell>(
      WeirDialect::describe(run.op),
      cast<TemporaryVariableOp>(run.op).getType()));
  return llvm::Error::success();
}

static llvm::Error destroy(NodeRun &run) {
  llvm::Expected<Target> target = targetOf(run);
  if (!target)
    return target.takeError();
  target->cell->value.reset();
  return llvm::Error::success();
}

void addVariableNodes(NodeTable &table) {
  table.add<TemporaryVariableOp>(makeTemporary);
  table.add<VariableDestroyOp>(destroy);
  table.add<ReadOp>(read);
  table.add<ReadResourceOp>(read);
  table.add<AssignOp>(assign);
  table.add<AssignResourceOp>(assign);
  table.add<AssignAddOp>(update</*subtract=*/false>);
  table.add<AssignAddResourceOp>(update</*subtract=*/false>);
  table.add<AssignSubOp>(update</*subtract=*/true>);
  table.add<AssignSubResourceOp>(update</*subtract=*/true>);
  table.add<AssignScatterOp>(scatter<AssignScatterOp>);
  table.add<AssignScatterResourceOp>(scatter<AssignScatterResourceOp>);
  table.add<IsInitializedOp>(isInitialized);
  table.add<IsInitializedResourceOp>(isInitialized);
}

} // namespace weir
