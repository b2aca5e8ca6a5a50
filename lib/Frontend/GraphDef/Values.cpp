//===- Values.cpp - What values wait for, and what is known about them --===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "lib/Frontend/GraphDef/NodeConversion.h"
#include "lib/Interpreter/Kernels.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetOperations.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Operation;
using mlir::Value;

// Constants of more elements are left to the compiler.
static constexpr int64_t kLargestFold = 1 << 16;

/// Constants, handles and feeds are there always.
static bool isAlwaysThere(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || llvm::isa<ConstantOp, HandleOp>(op);
}

/// The constant behind an identity that only waits, or null.
static Value constantBehind(Value value) {
  auto identity = value.getDefiningOp<IdentityOp>();
  if (!identity || !identity.getInput().getDefiningOp())
    return {};
  return isAlwaysThere(identity.getInput()) ? identity.getInput() : Value();
}

mlir::ElementsAttr Converter::constantOf(Value value) const {
  for (int steps = 0; steps < 64; ++steps) {
    if (auto constant = value.getDefiningOp<ConstantOp>())
      return constant.getValue();
    if (auto identity = value.getDefiningOp<IdentityOp>())
      value = identity.getInput();
    else
      break;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

Value Converter::completed(Value value, mlir::Location loc) {
  if (isAlwaysThere(value))
    return {};
  Operation *op = value.getDefiningOp();
  // A switch has run also where the side is dead.
  if (!llvm::isa<SwitchOp, SwitchNOp>(op) && op->getNumResults() &&
      llvm::isa<ControlType>(op->getResults().back().getType()))
    return op->getResults().back();
  for (Operation *user : value.getUsers())
    if (auto completed = llvm::dyn_cast<CompletedOp>(user))
      if (completed.getControls().empty() && completed.getValue() == value)
        return completed.getControl();
  Value control = CompletedOp::create(builder, loc, ControlType::get(context),
                                      value, mlir::ValueRange());
  deduceFacts(control.getDefiningOp());
  return control;
}

Value Converter::controlOf(int i) {
  Converted &node = converted[i];
  if (node.hasControl)
    return node.control;
  node.hasControl = true;
  mlir::Location loc = locationOf(graph[i]);
  llvm::SmallVector<Value> controls;
  for (const Output &output : node.outputs) {
    Value control = output.isRef ? output.after : completed(output.value, loc);
    if (control && !llvm::is_contained(controls, control))
      controls.push_back(control);
  }
  if (controls.size() == 1)
    return node.control = controls.front();
  if (controls.empty())
    return {};
  Operation *join =
      NoOpOp::create(builder, loc, ControlType::get(context), controls);
  deduceFacts(join);
  return node.control = join->getResult(0);
}

Value Converter::waitingConstant(Value value, mlir::ValueRange controls,
                                 mlir::Location loc) {
  if (controls.empty())
    return value;
  auto identity =
      IdentityOp::create(builder, loc, value.getType(), value, controls);
  deduceFacts(identity);
  facts[identity.getResult()].origin = facts[value].origin;
  return identity.getResult();
}

void Converter::settle(int i, llvm::ArrayRef<Operation *> created,
                       llvm::ArrayRef<Value> controls) {
  llvm::SmallPtrSet<Operation *, 8> gated;
  mlir::Location loc = locationOf(graph[i]);
  builder.setInsertionPointToEnd(body);
  auto replaceOutput = [&](Value from, Value to) {
    for (Output &output : converted[i].outputs)
      if (output.value == from)
        output.value = to;
  };
  for (Operation *op : created) {
    if (op->getNumOperands() == 0 && llvm::isa<ConstantOp, HandleOp>(op))
      continue;
    dropImpliedConstants(op);
    if (Value folded = fold(op)) {
      replaceOutput(op->getResult(0), folded);
      op->getResult(0).replaceAllUsesWith(folded);
      facts.erase(op->getResult(0));
      op->erase();
      continue;
    }
    auto node = llvm::dyn_cast<NodeInterface>(op);
    bool isBehind = llvm::any_of(op->getOperands(), [&](Value operand) {
      return gated.contains(operand.getDefiningOp());
    });
    if (node && !controls.empty() && !isBehind) {
      // Its place among the new nodes; behind what it waits for.
      op->moveBefore(body, body->end());
      node.getControlInputsMutable().append(controls);
    }
    if (!controls.empty())
      gated.insert(op);
    deduceFacts(op);
  }
  if (controls.empty())
    return;
  for (Output &output : converted[i].outputs)
    if (!output.isRef && !gated.contains(output.value.getDefiningOp()))
      output.value = waitingConstant(output.value, controls, loc);
  if (converted[i].outputs.empty() && !converted[i].control)
    converted[i].hasControl = false;
}

/// A constant that only waits for what the node waits for anyway is taken
/// without the wait.
void Converter::dropImpliedConstants(Operation *op) {
  if (llvm::isa<MergeOp, IdentityOp, CompletedOp>(op))
    return;
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    Value constant = constantBehind(operand.get());
    if (constant && isImplied(facts.lookup(operand.get()), op, operand.get()))
      operand.set(constant);
  }
}

bool Converter::isImplied(const Facts &wanted, Operation *user,
                          Value except) const {
  if (wanted.effects)
    return false;
  return llvm::all_of(wanted.conditions, [&](int condition) {
    return llvm::any_of(user->getOperands(), [&](Value operand) {
      return operand != except && !constantBehind(operand) &&
             llvm::is_contained(facts.lookup(operand).conditions, condition);
    });
  });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Converter::fold(Operation *op) {
  if (!mlir::isMemoryEffectFree(op) || op->getNumResults() != 1 ||
      llvm::isa<ConstantOp, HandleOp, CompletedOp, RandomUniformOp,
                RandomNormalOp>(op))
    return {};
  auto type =
      llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape() ||
      llvm::isa<StringType>(type.getElementType()) ||
      elementCount(type.getShape()).value_or(kLargestFold + 1) > kLargestFold)
    return {};
  llvm::SmallVector<Tensor> operands;
  llvm::SmallVector<Value> waits;
  auto wait = [&](Value value) {
    const Facts &known = facts[value];
    if (known.effects || !known.conditions.empty())
      waits.push_back(completed(value, op->getLoc()));
  };
  auto node = llvm::dyn_cast<NodeInterface>(op);
  if (!node || !node.getControlInputs().empty())
    return {};
  // Only the extents of the operand count for these.
  Value shaped;
  if (auto shapeOf = llvm::dyn_cast<ShapeOfOp>(op))
    shaped = shapeOf.getInput();
  if (auto dimSize = llvm::dyn_cast<DimSizeOp>(op))
    shaped = dimSize.getInput();
  mlir::DenseElementsAttr value;
  if (shaped) {
    llvm::SmallVector<mlir::OpFoldResult> results;
    if (mlir::failed(op->fold(results)) || results.size() != 1)
      return {};
    auto attribute = llvm::dyn_cast<mlir::Attribute>(results.front());
    value = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(attribute);
    if (!value)
      return {};
    wait(shaped);
  } else {
    for (Value operand : op->getOperands()) {
      mlir::ElementsAttr constant = constantOf(operand);
      if (!constant || constant.getNumElements() > kLargestFold)
        return {};
      llvm::Expected<Tensor> tensor = Tensor::fromAttribute(constant);
      if (!tensor) {
        llvm::consumeError(tensor.takeError());
        return {};
      }
      operands.push_back(std::move(*tensor));
    }
    llvm::Expected<Tensor> result = evaluatePure(op, operands);
    if (!result) {
      llvm::consumeError(result.takeError());
      return {};
    }
    if (result->getShape() != type.getShape())
      return {};
    value = result->toAttribute(type);
    for (Value operand : op->getOperands())
      if (!isAlwaysThere(operand))
        wait(operand);
  }
  llvm::erase(waits, Value());
  Value constant = ConstantOp::create(builder, op->getLoc(), value);
  return waitingConstant(constant, waits, op->getLoc());
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

int Converter::conditionId(Value predicate, int side) {
  for (int steps = 0; steps < 64; ++steps) {
    auto identity = predicate.getDefiningOp<IdentityOp>();
    if (!identity)
      break;
    predicate = identity.getInput();
  }
  auto [it, isNew] =
      conditionIds.try_emplace({predicate.getAsOpaquePointer(), side}, nextId);
  nextId += isNew;
  return it->second;
}

static void insert(llvm::SmallVectorImpl<int> &set, int value) {
  auto it = llvm::lower_bound(set, value);
  if (it == set.end() || *it != value)
    set.insert(it, value);
}

/// Nodes that see or change state: what waits for one may be an update that
/// has to come after a read.
static bool hasOwnEffects(Operation *op) {
  return !mlir::isMemoryEffectFree(op) &&
         !llvm::isa<SwitchOp, SwitchNOp, MergeOp, EnterOp, ExitOp,
                    NextIterationOp, LoopCondOp, NoOpOp, CompletedOp,
                    ControlTriggerOp, EnsureShapeOp>(op);
}

void Converter::deduceFacts(Operation *op) {
  Facts known;
  auto handleFrom = [&](Value operand, const Facts &from) {
    if (known.origin >= 0 || !llvm::isa<ResourceType>(operand.getType()))
      return;
    known.origin = from.origin;
    known.size = from.size;
  };
  known.effects = hasOwnEffects(op);
  bool first = true;
  for (Value operand : op->getOperands()) {
    const Facts from = facts.lookup(operand);
    known.effects |= from.effects;
    known.foreign |= from.foreign;
    handleFrom(operand, from);
    if (llvm::isa<MergeOp>(op) && !first) {
      // It is there when any of them is.
      llvm::erase_if(known.conditions, [&](int condition) {
        return !llvm::is_contained(from.conditions, condition);
      });
    } else {
      for (int condition : from.conditions)
        insert(known.conditions, condition);
    }
    first = false;
  }
  if (auto enter = llvm::dyn_cast<EnterOp>(op)) {
    auto [it, isNew] =
        frames.try_emplace(enter.getFrame().str(), std::pair(nextId, known));
    nextId += isNew;
    insert(known.conditions, it->second.first);
  } else if (llvm::isa<ExitOp>(op)) {
    for (auto &[name, frame] : frames)
      if (llvm::is_contained(known.conditions, frame.first) &&
          frame.second.conditions.size() < known.conditions.size() &&
          !llvm::is_contained(frame.second.conditions, frame.first)) {
        // The innermost frame has the most conditions around it.
        bool innermost = llvm::none_of(frames, [&](const auto &other) {
          return other.second.first != frame.first &&
                 llvm::is_contained(known.conditions, other.second.first) &&
                 llvm::is_contained(other.second.second.conditions,
                                    frame.first);
        });
        if (innermost) {
          known.conditions = frame.second.conditions;
          break;
        }
      }
  }
  auto side = [&](Value result, Value predicate, int number) {
    Facts there = known;
    insert(there.conditions, conditionId(predicate, number));
    facts[result] = std::move(there);
  };
  for (Value result : op->getResults()) {
    // What made the handle may be noted already.
    Facts before = facts.lookup(result);
    facts[result] = known;
    if (before.origin >= 0) {
      facts[result].origin = before.origin;
      facts[result].size = before.size;
    }
  }
  if (auto switchOp = llvm::dyn_cast<SwitchOp>(op)) {
    side(switchOp.getFalseSide(), switchOp.getPredicate(), 0);
    side(switchOp.getTrueSide(), switchOp.getPredicate(), 1);
  } else if (auto switchN = llvm::dyn_cast<SwitchNOp>(op)) {
    for (auto [number, result] : llvm::enumerate(switchN.getSides()))
      side(result, switchN.getIndex(), static_cast<int>(number));
  }
}
