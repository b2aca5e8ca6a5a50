//===- OrderProgram.cpp - Graphs become straight-line functions ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Cycles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Schedule/Passes.h"
#include "weir-c/types.h"
#include "llvm/ADT/MapVector.h"
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
    if (!isa<AssignOp, AssignAddOp, AssignSubOp>(user))
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
  Operation *waits = findCycle(*block).front();
  return waits->emitError()
         << "[WEIR0103] node '" << WeirDialect::describe(waits)
         << "' waits for itself: its edges form a cycle";
}

namespace {

/// Writes the function of one graph.
class Scheduler {
public:
  Scheduler(GraphOp graph, OpBuilder &builder)
      : graph(graph), builder(builder), symbols(graph->getParentOp()) {}

  LogicalResult run();

private:
  std::string nodeText(Operation *op);
  RankedTensorType typeOf(FlatSymbolRefAttr variable) {
    return cast<RankedTensorType>(
        symbols.lookup<VariableOp>(variable.getValue()).getType());
  }
  Value current(FlatSymbolRefAttr variable, Operation *node);
  void assign(FlatSymbolRefAttr variable, Value value, Operation *node);
  template <typename OpT>
  void update(Operation *node, FlatSymbolRefAttr variable, Value graphDelta);
  LogicalResult schedule(Operation *op);
  DictionaryAttr signature();
  Value truth(Value scalar, Location loc);

  GraphOp graph;
  OpBuilder &builder;
  SymbolTable symbols;
  IRMapping values;
  OpBuilder::InsertPoint head; // where variables are read
  llvm::MapVector<StringRef, Value> state;
  llvm::SetVector<StringRef> assigned;
};

} // namespace

/// "'name' at file:line" for messages at run time.
std::string Scheduler::nodeText(Operation *op) {
  std::string text = "'" + WeirDialect::describe(op) + "'";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text +=
        (" at " + place.getFilename().getValue() + ":" + Twine(place.getLine()))
            .str();
  return text;
}

Value Scheduler::current(FlatSymbolRefAttr variable, Operation *node) {
  Value &value = state[variable.getValue()];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(head);
    value = rt::ReadVariableOp::create(builder, node->getLoc(),
                                       typeOf(variable), variable,
                                       builder.getStringAttr(nodeText(node)));
    head = builder.saveInsertionPoint();
  }
  return value;
}

void Scheduler::assign(FlatSymbolRefAttr variable, Value value,
                       Operation *node) {
  RankedTensorType type = typeOf(variable),
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
  state[variable.getValue()] = value;
  assigned.insert(variable.getValue());
}

/// `variable = variable OpT delta`, inside the group that computes the delta
/// where it is a group's only use, so that both are one kernel.
template <typename OpT>
void Scheduler::update(Operation *node, FlatSymbolRefAttr variable,
                       Value graphDelta) {
  Value delta = values.lookupOrDefault(graphDelta);
  Value old = current(variable, node), fresh;
  auto group = delta.getDefiningOp<GroupOp>();
  if (group && delta.getType() == typeOf(variable) &&
      group->isBeforeInBlock(&*builder.getInsertionPoint())) {
    auto yield = cast<YieldOp>(group.getBody().front().getTerminator());
    unsigned index = cast<OpResult>(delta).getResultNumber();
    // Of the uses in the graph, some are not scheduled yet.
    bool onlyUse = graphDelta.hasOneUse() && delta.use_empty();
    bool dominated =
        !old.getDefiningOp() || old.getDefiningOp()->isBeforeInBlock(group);
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

LogicalResult Scheduler::schedule(Operation *op) {
  Location loc = op->getLoc();
  auto mapped = [&](Value value) { return values.lookupOrDefault(value); };
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
  if (auto node = dyn_cast<IsInitializedOp>(op)) {
    Value bit;
    if (assigned.contains(node.getVariable()))
      bit = arith::ConstantIntOp::create(builder, loc, 1, 1);
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
    return success();
  }
  if (auto node = dyn_cast<CheckNumericsOp>(op)) {
    Value input = mapped(node.getInput());
    Value finite = IsFiniteOp::create(builder, loc, input, ValueRange());
    auto axes = llvm::to_vector(llvm::seq<int64_t>(
        0, cast<RankedTensorType>(input.getType()).getRank()));
    Value all = ReduceAllOp::create(builder, loc, finite, axes,
                                    /*keep_dims=*/false, ValueRange());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    std::string message = node.getMessage().str();
    // Braces would be read as places for numbers.
    llvm::replace(message, '{', '(');
    llvm::replace(message, '}', ')');
    rt::AssertOp::create(
        builder, loc, truth(all, loc), WEIR_INVALID_ARGUMENT, nodeText(op),
        "[WEIR0333] " + message + ": the value holds a NaN or an infinity",
        zero, zero);
    values.map(node.getResult(), input);
    return success();
  }
  if (auto node = dyn_cast<SaveOp>(op)) {
    SmallVector<Value> tensors = llvm::map_to_vector(node.getValues(), mapped);
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
    for (StringRef name : assigned)
      rt::WriteVariableOp::create(
          builder, loc, FlatSymbolRefAttr::get(builder.getContext(), name),
          state[name]);
    for (auto [i, value] : llvm::enumerate(fetch.getValues()))
      rt::FetchOp::create(builder, loc, i, mapped(value));
    return success();
  }
  if (isa<NoOpOp, CompletedOp>(op))
    return success(); // Order is now that of the text.
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
