//===- ControlFlow.cpp - Conditionals, loops and what only carries values ===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Converters.h"

#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Type;

/// A reference goes through as a handle, and is a reference behind it too.
static LogicalResult carry(NodeConversion &n, mlir::Operation *op, bool isRef) {
  if (!op || !isRef)
    return n.outputsOf(op);
  for (Value result : op->getResults().drop_back()) {
    if (llvm::isa<ResourceType>(result.getType())) {
      if (mlir::failed(n.outputRef(result, {})))
        return mlir::failure();
    } else if (mlir::failed(n.output(result))) {
      return mlir::failure();
    }
  }
  n.setControl(op->getResults().back());
  return mlir::success();
}

/// The input, by reference where it is one and the op (Ref*) hands those on.
static Value carried(NodeConversion &n, unsigned i, bool &isRef) {
  const Output *output = n.rawInput(i);
  if (!output)
    return {};
  isRef = output->isRef && llvm::StringRef(n.node.op).starts_with("Ref");
  if (!isRef || !output->after)
    return isRef ? output->value : n.input(i);
  // Who reads behind it has waited for what the reference waits for.
  Value waiting = n.make<IdentityOp>(output->value);
  if (waiting) {
    llvm::cast<NodeInterface>(waiting.getDefiningOp())
        .getControlInputsMutable()
        .append(output->after);
    n.factsOf(waiting).origin = n.factsOf(output->value).origin;
  }
  return waiting;
}

static LogicalResult convertSwitch(NodeConversion &n) {
  bool isRef = false;
  Value data = carried(n, 0, isRef), predicate = n.anyTensor(1);
  if (!data || !predicate)
    return mlir::failure();
  if (!n.elementOf(predicate).isInteger(1))
    return n.failInvalid("its predicate is no boolean");
  mlir::Operation *op = n.makeStateful<SwitchOp>(
      {data, predicate}, {data.getType(), data.getType()});
  return carry(n, op, isRef);
}

static LogicalResult convertSwitchN(NodeConversion &n) {
  bool isRef = false;
  Value data = carried(n, 0, isRef), index = n.anyTensor(1);
  std::optional<int64_t> count = intAttr(n.node, "num_outs");
  if (!data || !index)
    return mlir::failure();
  if (!count || *count < 1 || *count > 65536)
    return n.fail("attribute 'num_outs' has to be in 1 <= n <= 65536");
  llvm::SmallVector<Type> types(static_cast<size_t>(*count), data.getType());
  return carry(n, n.makeStateful<SwitchNOp>({data, index}, types), isRef);
}

static LogicalResult convertMerge(NodeConversion &n) {
  if (std::string why = n.whyBroken(); !why.empty())
    return n.fail(why);
  // Inputs by way of NextIteration follow when they are there.
  llvm::SmallVector<Value> inputs(n.inputCount());
  Type type;
  bool isRef = false;
  Value first;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    const Node &from = n.inputNode(i);
    if (from.op == "NextIteration" || from.op == "RefNextIteration") {
      n.noteBackEdges();
      continue;
    }
    inputs[i] = carried(n, i, isRef);
    if (!inputs[i])
      return mlir::failure();
    Type joined =
        type ? joinTypes(type, inputs[i].getType()) : inputs[i].getType();
    if (!joined)
      return n.failInvalid("its inputs are of different types");
    type = joined;
    if (!first)
      first = inputs[i];
  }
  if (!first)
    return n.fail("it has no input but by way of NextIteration");
  if (Type general = n.mergeType())
    type = joinTypes(type, general);
  if (!type)
    return n.failInvalid("its inputs are of different types");
  for (Value &input : inputs)
    if (!input)
      input = first;
  auto index = n.scalarType(n.builder.getI32Type());
  return carry(n, n.makeStateful<MergeOp>(inputs, {type, index}), isRef);
}

static LogicalResult convertEnter(NodeConversion &n) {
  bool isRef = false;
  Value input = carried(n, 0, isRef);
  if (!input)
    return mlir::failure();
  llvm::SmallVector<mlir::NamedAttribute> attrs{
      n.text("frame", stringAttr(n.node, "frame_name").value_or("")),
      n.i64("parallel_iterations",
            intAttr(n.node, "parallel_iterations").value_or(10))};
  if (boolAttr(n.node, "is_constant").value_or(false))
    attrs.push_back(n.unit("is_constant"));
  mlir::Operation *op = n.makeStateful<EnterOp>(input, input.getType(), attrs);
  return carry(n, op, isRef);
}

template <typename OpT> static LogicalResult convertFrame(NodeConversion &n) {
  bool isRef = false;
  Value input = carried(n, 0, isRef);
  if (!input)
    return mlir::failure();
  mlir::Operation *op = n.makeStateful<OpT>(input, input.getType());
  return carry(n, op, isRef);
}

static LogicalResult convertLoopCond(NodeConversion &n) {
  Value input = n.anyTensor(0);
  return n.outputsOf(input ? n.makeStateful<LoopCondOp>(input, input.getType())
                           : nullptr);
}

static LogicalResult convertControlTrigger(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<ControlTriggerOp>({}, {}));
}

static LogicalResult convertNoOp(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<NoOpOp>({}, {}));
}

static LogicalResult convertIdentity(NodeConversion &n) {
  Value input = n.input(0);
  if (!input)
    return mlir::failure();
  // A handle has no name that anybody could fetch it by.
  if (llvm::isa<ResourceType>(input.getType()))
    return n.output(input);
  return n.emit<IdentityOp>(input);
}

/// RefIdentity: the reference itself.
static LogicalResult convertRefIdentity(NodeConversion &n) {
  const Output *output = n.rawInput(0);
  if (!output)
    return mlir::failure();
  return output->isRef ? n.outputRef(output->value, output->after)
                       : convertIdentity(n);
}

static LogicalResult convertIdentityN(NodeConversion &n) {
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    Value input = n.input(i);
    if (!input)
      return mlir::failure();
    bool isHandle = llvm::isa<ResourceType>(input.getType());
    if (mlir::failed(n.output(isHandle ? input : n.make<IdentityOp>(input))))
      return mlir::failure();
  }
  return mlir::success();
}

template <typename OpT> static LogicalResult convertPass(NodeConversion &n) {
  return n.emit<OpT>(n.tensor(0));
}

static LogicalResult convertConst(NodeConversion &n) {
  const pb::TensorProto *tensor = tensorAttr(n.node, "value");
  if (!tensor)
    return n.fail("it has no attribute 'value' that is a tensor");
  std::optional<pb::DataType> type = typeAttr(n.node, "dtype");
  if (type && *type != tensor->dtype())
    return n.fail("its value is not of the type that attribute 'dtype' says");
  std::string reason;
  mlir::ElementsAttr value =
      makeConstant(*tensor, n.builder.getContext(), reason);
  if (!value)
    return n.fail(reason);
  return n.output(n.constant(value));
}

static LogicalResult convertFeed(NodeConversion &n) { return n.feed(); }

/// What is true of a condition of any type.
static LogicalResult convertToBool(NodeConversion &n) {
  Value input = n.anyTensor(0);
  if (!input)
    return mlir::failure();
  if (n.elementOf(input).isInteger(1) &&
      !(llvm::isa<mlir::RankedTensorType>(input.getType()) &&
        n.typeOf(input).getRank()))
    return n.emit<IdentityOp>(input);
  input = n.tensor(0);
  if (!input)
    return mlir::failure();
  if (n.typeOf(input).getRank() == 0)
    return n.output(
        n.compare(input, n.scalarLike(input, 0), ComparePredicate::ne));
  // A tensor is true where it has elements.
  Value count =
      n.make<ReduceProdOp>(n.make<ShapeOfOp>(input), n.array("axes", {0}));
  return n.output(
      n.compare(count, n.scalarLike(count, 0), ComparePredicate::ne));
}

/// Print hands its first input on; what it would write is left out.
static LogicalResult convertPrint(NodeConversion &n) {
  return convertIdentity(n);
}

static LogicalResult convertAssert(NodeConversion &n) {
  llvm::SmallVector<Value> operands;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    operands.push_back(n.anyTensor(i));
    if (!operands.back())
      return mlir::failure();
  }
  if (operands.empty())
    return n.fail("it has no condition");
  return n.outputsOf(n.makeStateful<AssertOp>(
      operands, {}, n.text("message", "assertion failed")));
}

static LogicalResult convertEnsureShape(NodeConversion &n) {
  Value input = n.anyTensor(0);
  if (!input)
    return mlir::failure();
  mlir::TensorType type =
      n.tensorType(shapeAttr(n.node, "shape"), n.elementOf(input));
  return n.outputsOf(n.makeStateful<EnsureShapeOp>(input, type));
}

static LogicalResult convertCheckNumerics(NodeConversion &n) {
  Value input = n.tensor(0);
  if (!input)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<CheckNumericsOp>(
      input, input.getType(),
      n.text("message", stringAttr(n.node, "message").value_or(""))));
}

/// Calls are replaced by what they call before nodes are converted; here are
/// those of functions that are not there.
static LogicalResult convertCall(NodeConversion &n) {
  for (const char *name :
       {"f", "then_branch", "else_branch", "cond", "body", "branches"}) {
    llvm::SmallVector<llvm::StringRef> called;
    if (const pb::NameAttrList *function = funcAttr(n.node, name))
      called.push_back(function->name());
    if (const pb::AttrValue::ListValue *list = listAttr(n.node, name))
      for (const pb::NameAttrList &function : list->func())
        called.push_back(function.name());
    for (llvm::StringRef function : called)
      if (!n.hasFunction(function))
        return n.failInvalid(
            rt::str("the library has no function '", function.str(), "'"));
  }
  return n.failInvalid("it names no function to call");
}

void weir::graphdef::addControlFlowConverters(ConverterTable &table) {
  for (const char *ref : {"", "Ref"}) {
    auto row = [&](const char *op, OpConverter converter) {
      table[rt::str(ref, op)] = converter;
    };
    row("Switch", convertSwitch);
    row("Merge", convertMerge);
    row("Enter", convertEnter);
    row("Exit", convertFrame<ExitOp>);
    row("NextIteration", convertFrame<NextIterationOp>);
  }
  for (const char *call :
       {"PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf",
        "While", "StatelessWhile", "Case", "StatelessCase"})
    table[call] = convertCall;
  table["_SwitchN"] = convertSwitchN;
  table["LoopCond"] = convertLoopCond;
  table["ControlTrigger"] = convertControlTrigger;
  table["NoOp"] = convertNoOp;
  table["Identity"] = convertIdentity;
  table["RefIdentity"] = convertRefIdentity;
  table["IdentityN"] = convertIdentityN;
  table["Snapshot"] = convertIdentity;
  table["PlaceholderWithDefault"] = convertIdentity;
  table["_Retval"] = convertIdentity;
  table["StopGradient"] = convertPass<StopGradientOp>;
  table["PreventGradient"] = convertIdentity;
  table["Const"] = convertConst;
  table[kFeedOp] = convertFeed;
  table["Placeholder"] = convertFeed;
  table["PlaceholderV2"] = convertFeed;
  table["_Arg"] = convertFeed;
  table["ToBool"] = convertToBool;
  table["Print"] = convertPrint;
  table["Assert"] = convertAssert;
  table["EnsureShape"] = convertEnsureShape;
  table["CheckNumerics"] = convertCheckNumerics;
}
