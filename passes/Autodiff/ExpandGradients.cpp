//===- ExpandGradients.cpp - weir.gradients as backward nodes -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One weir.gradients at a time: find the nodes on the paths from xs to y, go
// through them from y back, and add up what flows into each value. Everything
// is a worklist, so the depth of a graph costs no stack.
//
//===----------------------------------------------------------------------===//

#include "passes/Autodiff/Passes.h"

#include "dialects/Weir/Builders.h"
#include "llvm/ADT/SetVector.h"
#include <queue>

using namespace mlir;

namespace weir {

#define GEN_PASS_DEF_EXPANDGRADIENTS
#include "passes/Autodiff/Passes.h.inc"

namespace {

bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// The user's name of a value: of its node, or of the feed that it is.
std::string nameOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return WeirDialect::describe(op);
  auto argument = cast<BlockArgument>(value);
  auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
  return graph.getFeedName(argument.getArgNumber());
}

/// Data operands through which a gradient may flow: floats. Integers and
/// booleans carry none, and stop_gradient lets none through.
SmallVector<Value> differentiableInputs(Operation *op) {
  SmallVector<Value> inputs;
  auto node = dyn_cast<NodeInterface>(op);
  if (node && !isa<StopGradientOp>(op))
    llvm::copy_if(node.getDataInputs(), std::back_inserter(inputs),
                  isFloatTensor);
  return inputs;
}

//===----------------------------------------------------------------------===//
// The paths of one request
//===----------------------------------------------------------------------===//

/// The nodes on the paths from xs to y, and the values on them.
class Paths {
public:
  Paths(Value y, ValueRange xs) {
    SetVector<Operation *> above;
    collectAbove(y, above);
    collectBelow(y, xs, above);
  }

  bool contains(Value value) const { return values.contains(value); }

  /// The nodes, each before those that it is computed from; among those that
  /// are ready, the last of the text comes first. Fewer than there are nodes
  /// when some form a cycle.
  SmallVector<Operation *> backward(Block &block) const;

  ArrayRef<Operation *> nodes() const { return ops.getArrayRef(); }

private:
  /// The nodes that y is computed from.
  static void collectAbove(Value y, SetVector<Operation *> &above) {
    SmallVector<Value> worklist{y};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val().getDefiningOp();
      if (op && above.insert(op))
        llvm::append_range(worklist, differentiableInputs(op));
    }
  }

  /// Those of them that depend on xs.
  void collectBelow(Value y, ValueRange xs,
                    const SetVector<Operation *> &above) {
    llvm::DenseMap<Value, SmallVector<Operation *>> users;
    for (Operation *op : above)
      for (Value input : differentiableInputs(op))
        users[input].push_back(op);
    SmallVector<Value> worklist(xs);
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!values.insert(value).second)
        continue;
      for (Operation *user : users.lookup(value))
        if (ops.insert(user))
          llvm::copy_if(user->getResults(), std::back_inserter(worklist),
                        isFloatTensor);
    }
  }

  SetVector<Operation *> ops;
  llvm::DenseSet<Value> values;
};

SmallVector<Operation *> Paths::backward(Block &block) const {
  llvm::DenseMap<Operation *, unsigned> position, waiting;
  for (auto [i, op] : llvm::enumerate(block))
    position[&op] = static_cast<unsigned>(i);
  auto forEachInput = [&](Operation *op, auto body) {
    for (Value input : differentiableInputs(op))
      if (Operation *producer = input.getDefiningOp();
          producer && ops.contains(producer))
        body(producer);
  };
  for (Operation *op : ops)
    forEachInput(op, [&](Operation *producer) { ++waiting[producer]; });
  std::priority_queue<std::pair<unsigned, Operation *>> ready;
  for (Operation *op : ops)
    if (!waiting.lookup(op))
      ready.emplace(position[op], op);
  SmallVector<Operation *> order;
  while (!ready.empty()) {
    Operation *op = ready.top().second;
    ready.pop();
    order.push_back(op);
    forEachInput(op, [&](Operation *producer) {
      if (--waiting[producer] == 0)
        ready.emplace(position[producer], producer);
    });
  }
  return order;
}

//===----------------------------------------------------------------------===//
// The expansion of one request
//===----------------------------------------------------------------------===//

/// Remembers what a builder has inserted.
struct Inserted : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};

class Expansion {
public:
  explicit Expansion(GradientsOp op)
      : op(op), builder(op, &inserted), paths(op.getY(), op.getXs()) {}

  /// Replaces the request by backward nodes, which stand where it stood.
  LogicalResult run();

private:
  /// Makes the results of a node as static as its operands say.
  void refine(Operation *node);
  LogicalResult backward(Operation *node);
  InFlightDiagnostic noGradient(Operation *node, const Twine &why);
  /// Adds to the gradient of a value; an error names `node`, which gives it.
  LogicalResult accumulate(GradientBuilder &b, Operation *node, Value value,
                           Value gradient);
  void eraseUnused();

  GradientsOp op;
  Inserted inserted;
  OpBuilder builder;
  Paths paths;
  llvm::DenseMap<Value, Value> gradients;
};

InFlightDiagnostic Expansion::noGradient(Operation *node, const Twine &why) {
  Value x = op.getXs().front();
  for (Value candidate : op.getXs())
    if (Paths(op.getY(), candidate).contains(node->getResult(0))) {
      x = candidate;
      break;
    }
  InFlightDiagnostic error =
      node->emitOpError() << "[WEIR0130] '" << WeirDialect::describe(node)
                          << "' lies on the path from '" << nameOf(x)
                          << "' to '" << nameOf(op.getY()) << "', but " << why
                          << "; where none should flow, put "
                             "weir.stop_gradient before it";
  error.attachNote(op.getLoc()) << "the gradient is asked for here";
  return error;
}

LogicalResult Expansion::accumulate(GradientBuilder &b, Operation *node,
                                    Value value, Value gradient) {
  auto wanted = cast<RankedTensorType>(value.getType()),
       type = cast<RankedTensorType>(gradient.getType());
  if (wanted.getElementType() != type.getElementType() ||
      failed(verifyCompatibleShape(wanted, type)))
    return node->emitOpError()
           << "[WEIR0132] gives a gradient of type " << type
           << " for an operand of type " << wanted
           << "; this is a fault of the op's gradient, please report it";
  // One of the two may know more extents than the other.
  if (wanted != type)
    gradient = b.reshapeLike(gradient, value);
  Value &sum = gradients[value];
  sum = sum ? b.add(sum, gradient) : gradient;
  return success();
}

void Expansion::refine(Operation *node) {
  // Gradients repeat and squeeze what is statically 1, so they need to know all
  // that can be known; a declaration may say less.
  auto inference = dyn_cast<InferTypeOpInterface>(node);
  SmallVector<Type> inferred;
  if (!inference ||
      failed(inference.inferReturnTypes(
          node->getContext(), std::nullopt, node->getOperands(),
          node->getRawDictionaryAttrs(), node->getPropertiesStorage(),
          node->getRegions(), inferred)))
    return;
  for (auto [result, type] : llvm::zip_equal(node->getResults(), inferred)) {
    auto declared = dyn_cast<RankedTensorType>(result.getType());
    if (!declared)
      continue;
    SmallVector<int64_t> shape(declared.getShape());
    for (auto [extent, known] :
         llvm::zip_equal(shape, cast<RankedTensorType>(type).getShape()))
      if (ShapedType::isDynamic(extent))
        extent = known;
    if (ArrayRef(shape) == declared.getShape())
      continue;
    result.setType(declared.clone(shape));
    // What takes the value for its type still gets it.
    Value asDeclared;
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
      if (isMemoryEffectFree(use.getOwner()))
        continue;
      if (!asDeclared) {
        OpBuilder plain(op);
        asDeclared = IdentityOp::create(plain, node->getLoc(), declared, result,
                                        ValueRange());
      }
      use.set(asDeclared);
    }
  }
}

LogicalResult Expansion::backward(Operation *node) {
  SmallVector<Value> dys;
  for (Value result : node->getResults())
    if (!isa<ControlType>(result.getType()))
      dys.push_back(gradients.lookup(result));
  if (llvm::none_of(dys, [](Value dy) { return bool(dy); }))
    return success();

  GradientBuilder b(builder, node->getLoc());
  size_t before = inserted.ops.size();
  OperandRange inputs = cast<NodeInterface>(node).getDataInputs();
  SmallVector<Value> flows;
  if (isa<CheckNumericsOp>(node)) {
    flows = dys;
  } else if (auto differentiable = dyn_cast<GradientInterface>(node)) {
    flows = differentiable.buildGradient(b, dys);
    if (!b.getFailure().empty() || flows.size() != inputs.size())
      return noGradient(node,
                        "its gradient cannot be built: " + b.getFailure());
  } else {
    return noGradient(node, "has no gradient");
  }
  for (auto [input, flow] : llvm::zip_equal(inputs, flows))
    if (flow && paths.contains(input))
      if (failed(accumulate(b, node, input, flow)))
        return failure();

  // The backward nodes of a node live where it does.
  for (Operation *created : ArrayRef(inserted.ops).drop_front(before))
    for (StringRef name :
         {WeirDialect::getDeviceAttrName(), WeirDialect::getColocateAttrName()})
      if (Attribute value = node->getAttr(name))
        created->setAttr(name, value);
  return success();
}

void Expansion::eraseUnused() {
  // A node's gradient is built for all its operands, also for those that lie
  // on no path. Users come after what they use, so one way back is enough.
  for (Operation *created : llvm::reverse(inserted.ops))
    if (created->use_empty())
      created->erase();
}

LogicalResult Expansion::run() {
  Value y = op.getY();
  SmallVector<Operation *> order = paths.backward(*op->getBlock());
  if (order.size() != paths.nodes().size())
    return op.emitOpError()
           << "[WEIR0133] '" << nameOf(y)
           << "' depends on itself: there is no gradient through a cycle";

  for (Operation *node : llvm::reverse(order))
    refine(node);

  GradientBuilder b(builder, op.getLoc());
  if (paths.contains(y))
    if (failed(
            accumulate(b, op, y, op.getSeed() ? op.getSeed() : b.onesLike(y))))
      return failure();
  for (Operation *node : order)
    if (failed(backward(node)))
      return failure();

  SmallVector<Value> results;
  for (auto [x, declared] : llvm::zip_equal(op.getXs(), op.getGradients())) {
    Value gradient = gradients.lookup(x);
    if (!gradient)
      gradient = b.zerosLike(x);
    // What waited for the request's control operands waits for them still.
    if (!op.getControls().empty() || gradient.getType() != declared.getType())
      gradient =
          b.make<IdentityOp>(declared.getType(), gradient, op.getControls());
    results.push_back(gradient);
  }
  op.replaceAllUsesWith(results);
  eraseUnused();
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The order of requests
//===----------------------------------------------------------------------===//

/// True when something that `op` takes is computed from another request.
bool dependsOnRequest(GradientsOp op) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> worklist(op.getDataInputs());
  while (!worklist.empty()) {
    Operation *producer = worklist.pop_back_val().getDefiningOp();
    if (!producer || !seen.insert(producer).second)
      continue;
    if (isa<GradientsOp>(producer))
      return true;
    if (auto node = dyn_cast<NodeInterface>(producer))
      llvm::append_range(worklist, node.getDataInputs());
  }
  return false;
}

struct ExpandGradients : impl::ExpandGradientsBase<ExpandGradients> {
  void runOnOperation() override {
    SmallVector<GradientsOp> requests(
        getOperation().getBody().getOps<GradientsOp>());
    while (!requests.empty()) {
      // A request over a gradient waits until that one is made of plain nodes.
      auto *next = llvm::find_if_not(requests, dependsOnRequest);
      if (next == requests.end()) {
        requests.front().emitOpError()
            << "[WEIR0133] depends on itself: there is no gradient through a "
               "cycle";
        return signalPassFailure();
      }
      GradientsOp request = *next;
      requests.erase(next);
      if (failed(Expansion(request).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace weir
