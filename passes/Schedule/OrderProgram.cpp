//===- OrderProgram.cpp - Graphs become straight-line functions ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Builders.h"
#include "lib/Analysis/Cycles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Schedule/Passes.h"
#include "passes/Schedule/Scheduler.h"
#include "weir-c/types.h"
#include <queue>

namespace weir {
#define GEN_PASS_DEF_SCHEDULEORDERPROGRAM
#include "passes/Schedule/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// True for a node that computes nothing but a variable's new value: only
/// assignments take its results.
static bool isUpdate(Operation *op) {
  if (op->getNumResults() == 0 || isa<ReadOp>(op))
    return false;
  for (Operation *user : op->getUsers())
    if (!isa<AssignOp, AssignAddOp, AssignSubOp, AssignScatterOp>(user))
      return false;
  return true;
}

/// The nodes that the fetches need, in an order that respects all edges;
/// updates as late as they can be, and otherwise in the order of the text.
static FailureOr<SmallVector<Operation *>> orderNodes(GraphOp graph) {
  Block *block = &graph.getBody().front();
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> work{graph.getFetch()};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (needed.insert(op))
      llvm::append_range(work, predecessors(op, block));
  }
  struct Rank {
    bool late;
    unsigned place;
    Operation *op;
    bool operator>(const Rank &other) const {
      return std::tie(late, place) > std::tie(other.late, other.place);
    }
  };
  DenseMap<Operation *, unsigned> place, waiting;
  DenseMap<Operation *, SmallVector<Operation *>> successors;
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> ready;
  auto push = [&](Operation *op) { ready.push({isUpdate(op), place[op], op}); };
  for (auto [i, op] : llvm::enumerate(*block))
    place[&op] = i;
  for (Operation *op : needed) {
    auto before = predecessors(op, block);
    waiting[op] = before.size();
    for (Operation *p : before)
      successors[p].push_back(op);
    if (before.empty())
      push(op);
  }
  SmallVector<Operation *> order;
  while (!ready.empty()) {
    Operation *op = ready.top().op;
    ready.pop();
    order.push_back(op);
    for (Operation *next : successors[op])
      if (--waiting[next] == 0)
        push(next);
  }
  if (order.size() == needed.size())
    return order;
  SmallVector<Operation *> cycle = findCycle(*block);
  if (cycle.empty()) {
    // All cycles are loops, which go through a merge.
    Operation *loop = *llvm::find_if(
        needed, [&](Operation *op) { return waiting[op] && isa<MergeOp>(op); });
    return loop->emitError()
           << "[WEIR0110] node '" << WeirDialect::describe(loop)
           << "' cannot be part of a straight-line program: it begins a loop";
  }
  Operation *waits = cycle.front();
  return waits->emitError()
         << "[WEIR0103] node '" << WeirDialect::describe(waits)
         << "' waits for itself: its edges form a cycle";
}

Value Scheduler::constant(Location loc, bool value) {
  return arith::ConstantIntOp::create(builder, loc, value, 1);
}

/// The value of a variable for a node that needs one.
Value Scheduler::current(FlatSymbolRefAttr variable, Operation *node) {
  State &now = state[variable.getValue()];
  Location loc = node->getLoc();
  if (!now.value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(head);
    now.value = rt::ReadVariableOp::create(
        builder, loc, typeOf(variable.getValue()), variable,
        builder.getStringAttr(nodeText(node)));
    head = builder.saveInsertionPoint();
  } else if (now.valid) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    rt::AssertOp::create(builder, loc, now.valid, WEIR_FAILED_PRECONDITION,
                         nodeText(node),
                         "[WEIR0306] variable '" + variable.getValue().str() +
                             "' is read before it has a value; assign it first",
                         zero, zero);
    now.valid = Value();
  }
  return now.value;
}

void Scheduler::assign(FlatSymbolRefAttr variable, Value value,
                       Operation *node) {
  RankedTensorType type = typeOf(variable.getValue()),
                   from = cast<RankedTensorType>(value.getType());
  Location loc = node->getLoc();
  if (from != type) {
    for (auto [i, extent] : llvm::enumerate(from.getShape())) {
      if (!ShapedType::isDynamic(extent))
        continue;
      Value actual = tensor::DimOp::create(builder, loc, value, i);
      Value expected =
          arith::ConstantIndexOp::create(builder, loc, type.getDimSize(i));
      Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         actual, expected);
      rt::AssertOp::create(
          builder, loc, same, WEIR_INVALID_ARGUMENT, nodeText(node),
          "[WEIR0331] a value of extent {0} is assigned where variable '" +
              variable.getValue().str() + "' has extent {1}",
          actual, expected);
    }
    value = tensor::CastOp::create(builder, loc, type, value);
  }
  State &now = state[variable.getValue()];
  now.value = value;
  now.valid = now.written = Value();
  now.assigned = true;
}

/// `variable = variable OpT delta`, inside the group that computes the delta
/// where it is a group's only use, so that both are one kernel.
template <typename OpT>
void Scheduler::update(Operation *node, FlatSymbolRefAttr variable,
                       Value graphDelta) {
  Value delta = values.lookupOrDefault(graphDelta);
  Value old = current(variable, node), fresh;
  auto group = delta.getDefiningOp<GroupOp>();
  // All that stands in the block by now is before what comes next.
  if (group && delta.getType() == typeOf(variable.getValue()) &&
      group->getBlock() == builder.getInsertionBlock()) {
    auto yield = cast<YieldOp>(group.getBody().front().getTerminator());
    unsigned index = cast<OpResult>(delta).getResultNumber();
    // Of the uses in the graph, some are not scheduled yet.
    bool onlyUse = graphDelta.hasOneUse() && delta.use_empty();
    Operation *source = old.getDefiningOp();
    bool dominated = !source || source->getBlock() != group->getBlock() ||
                     source->isBeforeInBlock(group);
    if (onlyUse && dominated) {
      OpBuilder inside(yield);
      yield.setOperand(index,
                       OpT::create(inside, node->getLoc(), old,
                                   yield.getOperand(index), ValueRange()));
      assign(variable, delta, node);
      return;
    }
  }
  fresh = OpT::create(builder, node->getLoc(), old, delta, ValueRange());
  assign(variable, fresh, node);
}

/// A boolean scalar tensor as an i1. Booleans are bytes in memory.
Value Scheduler::truth(Value scalar, Location loc) {
  Value bytes =
      UnrealizedConversionCastOp::create(
          builder, loc, RankedTensorType::get({}, builder.getI8Type()), scalar)
          .getResult(0);
  Value byte = tensor::ExtractOp::create(builder, loc, bytes, ValueRange());
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 8);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, byte,
                               zero);
}

void Scheduler::isInitialized(IsInitializedOp node) {
  Location loc = node.getLoc();
  auto at = state.find(node.getVariable());
  Value bit;
  if (at != state.end() && at->second.assigned && !at->second.written)
    bit = constant(loc, true);
  else if (at != state.end() && at->second.valid)
    bit = at->second.valid;
  else
    bit = rt::VariableInitializedOp::create(builder, loc, builder.getI1Type(),
                                            node.getVariableAttr());
  Value byte = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), bit);
  Value bytes = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI8Type()), byte);
  values.map(node.getValue(),
             UnrealizedConversionCastOp::create(
                 builder, loc, node.getValue().getType(), bytes)
                 .getResult(0));
}

void Scheduler::checkNumerics(CheckNumericsOp node) {
  Location loc = node.getLoc();
  Value input = mapped(node.getInput());
  Value finite = IsFiniteOp::create(builder, loc, input, ValueRange());
  auto axes = llvm::to_vector(
      llvm::seq<int64_t>(0, cast<RankedTensorType>(input.getType()).getRank()));
  Value all = ReduceAllOp::create(builder, loc, finite, axes,
                                  /*keep_dims=*/false, ValueRange());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  std::string message = node.getMessage().str();
  // Braces would be read as places for numbers.
  llvm::replace(message, '{', '(');
  llvm::replace(message, '}', ')');
  rt::AssertOp::create(
      builder, loc, truth(all, loc), WEIR_INVALID_ARGUMENT, nodeText(node),
      "[WEIR0333] " + message + ": the value holds a NaN or an infinity", zero,
      zero);
  values.map(node.getResult(), input);
}

/// Writes back what was assigned, and hands out the fetches.
void Scheduler::finish(FetchOp fetch) {
  Location loc = fetch.getLoc();
  for (auto &[name, variable] : state) {
    if (!variable.assigned)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    if (variable.written) {
      auto branch = scf::IfOp::create(builder, loc, variable.written);
      builder.setInsertionPointToStart(&branch.getThenRegion().front());
    }
    rt::WriteVariableOp::create(
        builder, loc, FlatSymbolRefAttr::get(builder.getContext(), name),
        variable.value);
  }
  for (auto [i, value] : llvm::enumerate(fetch.getValues()))
    rt::FetchOp::create(builder, loc, i, mapped(value));
}

LogicalResult Scheduler::schedule(Operation *op) {
  Location loc = op->getLoc();
  if (auto read = dyn_cast<ReadOp>(op)) {
    values.map(read.getValue(), current(read.getVariableAttr(), op));
    return success();
  }
  if (auto node = dyn_cast<AssignOp>(op)) {
    assign(node.getVariableAttr(), mapped(node.getValue()), op);
    return success();
  }
  if (auto node = dyn_cast<AssignAddOp>(op)) {
    update<AddOp>(op, node.getVariableAttr(), node.getValue());
    return success();
  }
  if (auto node = dyn_cast<AssignSubOp>(op)) {
    update<SubOp>(op, node.getVariableAttr(), node.getValue());
    return success();
  }
  if (auto node = dyn_cast<AssignScatterOp>(op)) {
    Value old = current(node.getVariableAttr(), op);
    auto changed = ScatterOp::create(
        builder, loc, old.getType(), old, mapped(node.getIndices()),
        mapped(node.getUpdates()), node.getKindAttr(), ValueRange());
    changed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    assign(node.getVariableAttr(), changed, op);
    return success();
  }
  if (auto node = dyn_cast<IsInitializedOp>(op)) {
    isInitialized(node);
    return success();
  }
  if (auto node = dyn_cast<CheckNumericsOp>(op)) {
    checkNumerics(node);
    return success();
  }
  if (auto node = dyn_cast<SaveOp>(op)) {
    SmallVector<Value> tensors = llvm::map_to_vector(
        node.getValues(), [&](Value value) { return mapped(value); });
    auto save =
        rt::SaveOp::create(builder, loc, nodeText(op), mapped(node.getPath()),
                           node.getNames(), tensors);
    save->setAttr(rt::typesAttrName, builder.getTypeArrayAttr(llvm::to_vector(
                                         node.getValues().getTypes())));
    return success();
  }
  if (auto node = dyn_cast<RestoreOp>(op)) {
    auto restored = rt::RestoreOp::create(
        builder, loc, node.getValues().getTypes(), nodeText(op),
        mapped(node.getPath()), node.getNames());
    restored->setAttr(
        rt::typesAttrName,
        builder.getTypeArrayAttr(llvm::to_vector(node.getValues().getTypes())));
    values.map(node.getValues(), restored.getValues());
    return success();
  }
  if (auto fetch = dyn_cast<FetchOp>(op)) {
    finish(fetch);
    return success();
  }
  if (auto node = dyn_cast<scf::IfOp>(op))
    return schedule(node);
  if (auto node = dyn_cast<scf::WhileOp>(op))
    return schedule(node);
  if (auto node = dyn_cast<tensor::ExtractOp>(op);
      node && node.getType().isInteger(1)) {
    values.map(node.getResult(), truth(mapped(node.getTensor()), loc));
    return success();
  }
  // Order is now that of the text, and state has names.
  if (isa<NoOpOp, CompletedOp, HandleOp>(op) ||
      (isa<IdentityOp>(op) && isa<ResourceType>(op->getResult(0).getType())))
    return success();
  if (isa<GroupOp>(op) || (isMemoryEffectFree(op) && !isa<GradientsOp>(op))) {
    Operation *copy = builder.clone(*op, values);
    if (auto node = dyn_cast<NodeInterface>(copy))
      node.getControlInputsMutable().clear();
    copy->walk(
        [](NodeInterface inner) { inner.getControlInputsMutable().clear(); });
    return success();
  }
  return op->emitError() << "[WEIR0110] node '" << WeirDialect::describe(op)
                         << "' cannot be part of a straight-line program";
}

/// Names and types of feeds and fetches, for the program's descriptor. They
/// are the user's: later passes change how elements are stored.
DictionaryAttr Scheduler::signature() {
  auto describe = [&](Type type, const std::string &name) -> Attribute {
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(name)),
         builder.getNamedAttr("type", TypeAttr::get(type))});
  };
  SmallVector<Attribute> feeds, fetches;
  for (auto [i, type] : llvm::enumerate(graph.getArgumentTypes()))
    feeds.push_back(describe(type, graph.getFeedName(i)));
  for (auto [i, type] : llvm::enumerate(graph.getResultTypes()))
    fetches.push_back(describe(type, graph.getFetchName(i)));
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("feeds", builder.getArrayAttr(feeds)),
       builder.getNamedAttr("fetches", builder.getArrayAttr(fetches))});
}

LogicalResult Scheduler::run() {
  auto order = orderNodes(graph);
  if (failed(order))
    return failure();
  Location loc = graph.getLoc();
  builder.setInsertionPoint(graph);
  auto step = LLVM::LLVMPointerType::get(builder.getContext());
  auto function =
      func::FuncOp::create(builder, loc, graph.getSymName(),
                           builder.getFunctionType(step, builder.getI32Type()));
  function->setAttr(rt::entryAttrName, signature());
  if (Attribute device = graph->getAttr(rt::deviceAttrName))
    function->setAttr(rt::deviceAttrName, device);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [i, argument] : llvm::enumerate(graph.getBody().getArguments()))
    values.map(
        argument,
        rt::FeedOp::create(builder, loc, argument.getType(), i).getResult());
  // Variables are read before `mark`, everything else happens behind it.
  Operation *mark = arith::ConstantIntOp::create(builder, loc, WEIR_OK, 32);
  builder.setInsertionPoint(
      func::ReturnOp::create(builder, loc, mark->getResult(0)));
  head = OpBuilder::InsertPoint(body, mark->getIterator());
  for (Operation *op : *order)
    if (failed(schedule(op)))
      return failure();
  graph.erase();
  return success();
}

namespace {
struct OrderProgram : weir::impl::ScheduleOrderProgramBase<OrderProgram> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (GraphOp graph :
         llvm::make_early_inc_range(getOperation().getOps<GraphOp>()))
      if (failed(Scheduler(graph, builder).run()))
        return signalPassFailure();
  }
};
} // namespace
