//===- BuildKernels.cpp - What the nodes of a table compute ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Schedule/DataflowBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir {

/// True for a kernel that cannot fail: element by element, of static extents.
/// No message names its nodes, so equal ones may be one.
static bool cannotFail(Operation *op) {
  auto fine = [](Operation *inner) {
    if (isa<GroupOp, YieldOp, ConstantOp>(inner))
      return true;
    return isa<ElementwiseInterface>(inner) &&
           llvm::all_of(inner->getOperandTypes(), [](Type type) {
             auto tensor = dyn_cast<RankedTensorType>(type);
             return tensor && tensor.hasStaticShape();
           });
  };
  return !op->walk([&](Operation *inner) {
              return fine(inner) ? WalkResult::advance()
                                 : WalkResult::interrupt();
            }).wasInterrupted();
}

/// What a kernel can be given: numbers of known rank.
LogicalResult KernelBuilder::checkType(Operation *op, Value value) {
  Type type = value.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string from =
      isa<BlockArgument>(value)
          ? "a feed"
          : "'" + WeirDialect::describe(value.getDefiningOp()) + "'";
  if (!tensor)
    return op->emitError()
           << "[WEIR0113] node '" << WeirDialect::describe(op)
           << "' computes with " << type << " of " << from
           << ": only numbers of known rank can be computed with; "
           << (isa<ResourceType>(type)
                   ? "handles can be handed on, but not computed"
                   : "give the value a shape with weir.ensure_shape, or give "
                     "the feed it comes from one");
  if (isa<StringType>(tensor.getElementType()))
    return op->emitError() << "[WEIR0114] node '" << WeirDialect::describe(op)
                           << "' computes with strings of " << from
                           << ", which compiled code cannot; the nodes on "
                              "strings are those of docs/spec/input.md";
  return success();
}

GraphOp KernelBuilder::start(Location loc, TypeRange inputs,
                             TypeRange outputs) {
  OpBuilder builder(graph);
  auto kernel = GraphOp::create(
      builder, loc, (graph.getSymName() + ".kernel_" + Twine(counter++)).str(),
      builder.getFunctionType(inputs, outputs), /*sym_visibility=*/nullptr,
      /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
  if (Attribute device = graph->getAttr(rt::deviceAttrName))
    kernel->setAttr(rt::deviceAttrName, device);
  Block &body = kernel.getBody().emplaceBlock();
  for (Type type : inputs)
    body.addArgument(type, loc);
  return kernel;
}

FlatSymbolRefAttr KernelBuilder::finish(GraphOp kernel, bool mayShare) {
  auto symbol = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
  if (!mayShare)
    return symbol;
  kernel.walk([](Operation *op) {
    for (StringRef name :
         {WeirDialect::getNameAttrName(), WeirDialect::getDeviceAttrName(),
          WeirDialect::getColocateAttrName(), rt::hopAttrName})
      op->removeDiscardableAttr(name);
    if (auto group = dyn_cast<GroupOp>(op))
      group.setKernel(group.getKernel().rtrim("0123456789").rtrim('_'));
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  StringAttr name = kernel.getSymNameAttr();
  kernel.setSymName("kernel");
  kernel->print(os, OpPrintingFlags().useLocalScope());
  kernel.setSymNameAttr(name);
  auto [known, isNew] = shared.try_emplace(text, symbol);
  if (!isNew) {
    kernel.erase();
    --counter;
  }
  return known->second;
}

FailureOr<FlatSymbolRefAttr>
KernelBuilder::kernelOf(Operation *op, SmallVectorImpl<Value> &inputs,
                        SmallVectorImpl<Value> &controls) {
  llvm::SetVector<Value> used;
  used.insert_range(op->getOperands());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  // The condition of a conditional is taken out of its tensor in the kernel.
  SmallVector<tensor::ExtractOp> conditions;
  for (Value value : SmallVector<Value>(used.getArrayRef()))
    if (auto condition = value.getDefiningOp<tensor::ExtractOp>()) {
      conditions.push_back(condition);
      used.remove(value);
      used.insert(condition.getTensor());
    }
  SmallVector<Operation *> constants;
  for (Value value : used) {
    if (isa<ControlType>(value.getType())) {
      controls.push_back(value);
    } else if (isEverywhere(value) && op->getNumRegions() != 0 &&
               !isa<GroupOp>(op)) {
      // Conditionals and loops resolve handles and know their constants.
      constants.push_back(value.getDefiningOp());
    } else if (failed(checkType(op, value))) {
      return failure();
    } else {
      inputs.push_back(value);
    }
  }
  SmallVector<Value> outputs, done;
  for (Value result : op->getResults()) {
    if (isa<ControlType>(result.getType())) {
      done.push_back(result);
      continue;
    }
    if (failed(checkType(op, result)))
      return failure();
    outputs.push_back(result);
  }
  GraphOp kernel = start(op->getLoc(), ValueRange(inputs).getTypes(),
                         ValueRange(outputs).getTypes());
  Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  IRMapping mapping;
  mapping.map(inputs, body.getArguments());
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  for (tensor::ExtractOp condition : conditions)
    builder.clone(*condition, mapping);
  // The table's node has waited when the kernel begins.
  Value waited;
  if (!controls.empty() && op->getNumRegions() != 0)
    waited = NoOpOp::create(builder, op->getLoc(), ValueRange()).getControl();
  for (Value control : controls)
    if (waited)
      mapping.map(control, waited);
  Operation *copy;
  if (auto node = dyn_cast<NodeInterface>(op); node && !waited) {
    for (Value control : controls)
      mapping.map(control, control);
    copy = builder.clone(*op, mapping);
    cast<NodeInterface>(copy).getControlInputsMutable().clear();
  } else {
    copy = builder.clone(*op, mapping);
  }
  auto copies = [&](ArrayRef<Value> values) {
    SmallVector<Value> list;
    for (Value value : values)
      list.push_back(copy->getResult(cast<OpResult>(value).getResultNumber()));
    return list;
  };
  FetchOp::create(builder, op->getLoc(), copies(outputs), copies(done));
  return finish(kernel, cannotFail(op));
}

FailureOr<FlatSymbolRefAttr> KernelBuilder::updateOf(Operation *op,
                                                     ValueRange operands,
                                                     RankedTensorType old) {
  for (Value operand : operands)
    if (failed(checkType(op, operand)))
      return failure();
  SmallVector<Type> types{old};
  llvm::append_range(types, operands.getTypes());
  GraphOp kernel = start(op->getLoc(), types, TypeRange(Type(old)));
  Block &body = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&body);
  Location loc = op->getLoc();
  ValueRange arguments = body.getArguments();
  Value fresh;
  if (isa<AssignAddOp, AssignAddResourceOp>(op)) {
    fresh =
        AddOp::create(builder, loc, arguments[0], arguments[1], ValueRange());
  } else if (isa<AssignSubOp, AssignSubResourceOp>(op)) {
    fresh =
        SubOp::create(builder, loc, arguments[0], arguments[1], ValueRange());
  } else {
    auto kind = op->getAttrOfType<ScatterKindAttr>("kind");
    fresh = ScatterOp::create(builder, loc, arguments[0], arguments[1],
                              arguments[2], kind.getValue(), ValueRange());
  }
  if (auto name = op->getAttr(WeirDialect::getNameAttrName()))
    fresh.getDefiningOp()->setAttr(WeirDialect::getNameAttrName(), name);
  FetchOp::create(builder, loc, fresh, ValueRange());
  return finish(kernel, /*mayShare=*/false);
}

} // namespace weir
