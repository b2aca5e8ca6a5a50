//===- ResolveHandles.cpp - State by symbol where a handle is always one --===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "passes/Raise/Handles.h"
#include "passes/Raise/Passes.h"

namespace weir {
#define GEN_PASS_DEF_RAISERESOLVEHANDLES
#include "passes/Raise/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {

class ResolveHandles
    : public weir::impl::RaiseResolveHandlesBase<ResolveHandles> {
  void runOnOperation() override;
};

/// Rewrites the nodes of one graph.
class Resolver {
public:
  Resolver(GraphOp graph, SymbolTable &symbols)
      : graph(graph), symbols(symbols), handles(graph) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(graph.getBody().front()))
      if (Operation *copy = rewrite(&op))
        replace(&op, copy);
    prune();
  }

private:
  Operation *rewrite(Operation *op);
  void replace(Operation *op, Operation *copy);
  void prune();

  /// The variable that a handle always names, where nodes can name it too.
  VariableOp variableOf(Value handle) {
    FlatSymbolRefAttr name = handles[handle];
    auto variable =
        name ? symbols.lookup<VariableOp>(name.getValue()) : VariableOp();
    auto type = variable ? dyn_cast<RankedTensorType>(variable.getType())
                         : RankedTensorType();
    return type && !isa<StringType>(type.getElementType()) ? variable
                                                           : VariableOp();
  }

  GraphOp graph;
  SymbolTable &symbols;
  Handles handles;
};

} // namespace

/// True where a node by symbol takes or gives the value: the rank is known and
/// the type does not contradict the variable's, which is an error at run time.
static bool fits(Value value, VariableOp variable) {
  return isa<RankedTensorType>(value.getType()) &&
         areCompatible(value.getType(), variable.getType());
}

/// The node by symbol for one by handle, or null where that has to stay.
Operation *Resolver::rewrite(Operation *op) {
  Value handle = op->getNumOperands() > 0 ? op->getOperand(0) : Value();
  if (!handle || !isa<ResourceType>(handle.getType()))
    return nullptr;
  VariableOp variable = variableOf(handle);
  if (!variable)
    return nullptr;
  auto name = FlatSymbolRefAttr::get(variable.getSymNameAttr());
  OpBuilder builder(op);
  Location loc = op->getLoc();
  SmallVector<Value> controls(cast<NodeInterface>(op).getControlInputs());
  // The node was live where the handle was, and came after it.
  auto wait = [&] {
    if (!handle.getDefiningOp<HandleOp>())
      controls.push_back(
          CompletedOp::create(builder, loc, handle, ValueRange()));
  };
  Type control = ControlType::get(builder.getContext());
  if (auto node = dyn_cast<ReadResourceOp>(op)) {
    if (!areCompatible(node.getValue().getType(), variable.getType()))
      return nullptr;
    wait();
    return ReadOp::create(builder, loc, variable.getType(), control, name,
                          controls);
  }
  if (isa<IsInitializedResourceOp>(op)) {
    wait();
    return IsInitializedOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI1Type()), control,
        name, controls);
  }
  if (auto node = dyn_cast<AssignScatterResourceOp>(op)) {
    if (node.getType() != variable.getType())
      return nullptr;
    wait();
    return AssignScatterOp::create(builder, loc, name, node.getIndices(),
                                   node.getUpdates(), node.getKindAttr(),
                                   controls);
  }
  if (!isa<AssignResourceOp, AssignAddResourceOp, AssignSubResourceOp>(op) ||
      !fits(op->getOperand(1), variable))
    return nullptr;
  wait();
  Value value = op->getOperand(1);
  if (isa<AssignAddResourceOp>(op))
    return AssignAddOp::create(builder, loc, name, value, controls);
  if (isa<AssignSubResourceOp>(op))
    return AssignSubOp::create(builder, loc, name, value, controls);
  return AssignOp::create(builder, loc, name, value, controls);
}

void Resolver::replace(Operation *op, Operation *copy) {
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    // Only nodes that take any rank are told more than was declared.
    bool pinned = from.getType() != to.getType() &&
                  llvm::any_of(from.getUsers(), [](Operation *user) {
                    return isa<FetchOp>(user);
                  });
    if (pinned) {
      OpBuilder builder(op);
      Value exact = IdentityOp::create(builder, op->getLoc(), from.getType(),
                                       to, ValueRange());
      from.replaceUsesWithIf(
          exact, [](OpOperand &use) { return isa<FetchOp>(use.getOwner()); });
    }
    from.replaceAllUsesWith(to);
  }
  op->erase();
}

static bool carriesHandles(Operation *op) {
  return isa<HandleOp, IdentityOp, EnterOp, ExitOp, SwitchOp, SwitchNOp,
             NextIterationOp, MergeOp>(op);
}

/// Handles that nobody takes any more, and what carried them.
void Resolver::prune() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(graph.getBody().front()))) {
      bool carries =
          op.getNumResults() > 0 && op.use_empty() &&
          llvm::any_of(op.getResultTypes(), llvm::IsaPred<ResourceType>) &&
          carriesHandles(&op);
      if (!carries)
        continue;
      op.erase();
      changed = true;
    }
  }
  // What is left goes around in a loop that nobody reads.
  llvm::SetVector<Operation *> used;
  for (Operation &op : graph.getBody().front())
    if (llvm::none_of(op.getResultTypes(), llvm::IsaPred<ResourceType>))
      used.insert(&op);
  for (size_t i = 0; i < used.size(); ++i)
    for (Value operand : used[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        used.insert(producer);
  llvm::SetVector<Operation *> unused;
  for (Operation &op : graph.getBody().front())
    if (!used.contains(&op) && carriesHandles(&op))
      unused.insert(&op);
  auto isRead = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return !unused.contains(user);
    });
  };
  while (unused.remove_if(isRead))
    ;
  for (Operation *op : unused)
    op->dropAllReferences();
  for (Operation *op : unused)
    op->erase();
}

void ResolveHandles::runOnOperation() {
  ModuleOp module = getOperation();
  if (module->hasAttr(noRaiseAttrName))
    return;
  SymbolTable symbols(module);
  for (GraphOp graph : module.getOps<GraphOp>())
    Resolver(graph, symbols).run();
}
