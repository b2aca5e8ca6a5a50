//===- NodeState.cpp - Variables and resources, as converters see them --===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/NodeConversion.h"
#include "lib/Frontend/GraphDef/OpTable.h"
#include "mlir/IR/Verifier.h"
#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Operation;
using mlir::Type;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Variables of strings, and of values of any shape, have no nodes that name
/// them: they are accessed by handle.
static bool hasSymbolForm(VariableOp variable) {
  auto type = llvm::dyn_cast_or_null<mlir::RankedTensorType>(
      variable ? Type(variable.getType()) : Type());
  return type && !llvm::isa<StringType>(type.getElementType());
}

std::optional<NodeConversion::Variable> NodeConversion::variable(unsigned i) {
  const Output *output = rawInput(i);
  if (!output || !handle(i))
    return std::nullopt;
  Variable result;
  result.handle = output->value;
  result.after = output->after;
  result.declaration =
      llvm::dyn_cast_or_null<VariableOp>(declarationOf(output->value));
  if (declarationOf(output->value) && !result.declaration) {
    (void)fail(rt::str("input ", i, " is a handle of no variable"));
    return std::nullopt;
  }
  Value value = output->value;
  while (auto identity = value.getDefiningOp<IdentityOp>())
    value = identity.getInput();
  result.isDirect =
      hasSymbolForm(result.declaration) && value.getDefiningOp<HandleOp>();
  if (value != output->value)
    result.behind = output->value;
  return result;
}

mlir::FlatSymbolRefAttr NodeConversion::symbolOf(const Variable &variable) {
  VariableOp declaration = variable.declaration;
  return mlir::FlatSymbolRefAttr::get(builder.getContext(),
                                      declaration.getSymName());
}

/// TensorFlow accesses a variable that is given by reference when the node
/// runs: behind all that its other inputs wait for.
void NodeConversion::waitForVariable(Operation *op, const Variable &variable) {
  if (!op)
    return;
  if (variable.after)
    llvm::cast<NodeInterface>(op).getControlInputsMutable().append(
        variable.after);
  if (variable.isDirect && variable.behind)
    waitFor(op, variable.behind);
  for (unsigned k = 0; k < inputCount(); ++k) {
    Edge edge = node.inputs[k];
    const Converter::Converted &from = converter.converted[edge.node];
    if (!from.done || edge.port >= static_cast<int>(from.outputs.size()) ||
        from.outputs[edge.port].isRef)
      continue;
    Value other = from.outputs[edge.port].value;
    if (!llvm::isa<ResourceType>(other.getType()) && factsOf(other).effects &&
        !llvm::is_contained(op->getOperands(), other))
      waitFor(op, other);
  }
}

Value NodeConversion::readVariable(const Variable &variable, Type element) {
  VariableOp declaration = variable.declaration;
  Type type =
      declaration ? Type(declaration.getType()) : contentOf(variable.handle);
  if (!type && element)
    type = mlir::UnrankedTensorType::get(element);
  if (!type)
    return {};
  return access<ReadOp, ReadResourceOp>(variable, {}, type)->getResult(0);
}

Value NodeConversion::read(const Output &output) {
  Variable variable;
  variable.handle = output.value;
  variable.after = output.after;
  variable.declaration =
      llvm::dyn_cast_or_null<VariableOp>(declarationOf(output.value));
  variable.isDirect = hasSymbolForm(variable.declaration) &&
                      output.value.getDefiningOp<HandleOp>();
  Type element = converter.elementType(guessOutputType(node, 0));
  return readVariable(variable, element ? element : builder.getF32Type());
}

Value NodeConversion::join(llvm::ArrayRef<Value> controls) {
  if (controls.size() == 1)
    return controls.front();
  auto op = NoOpOp::create(builder, loc, ControlType::get(builder.getContext()),
                           controls);
  created.push_back(op);
  return op.getControl();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

std::string NodeConversion::stateSymbol(const std::string &kind) const {
  std::string name = stateName();
  mlir::Operation *known = converter.symbols.lookup(name);
  bool isOther = known && known->getName().stripDialect() != kind;
  return isOther ? rt::str(name, ":", kind) : name;
}

mlir::OpBuilder NodeConversion::declarationBuilder() const {
  return mlir::OpBuilder(converter.graphOp);
}

static std::string stateNameOf(const Node &node) {
  std::string name = stringAttr(node, "shared_name").value_or("");
  // TensorFlow's mark of state that no name is to be shared by.
  if (name.empty() || name == "cd2c89b7-88b7-44c8-ad83-06c2a9158347")
    name = node.name;
  std::string container = stringAttr(node, "container").value_or("");
  return container.empty() ? name : container + "/" + name;
}

std::string NodeConversion::stateName() const { return stateNameOf(node); }

std::optional<int64_t> NodeConversion::stagingCapacity() const {
  for (int i = 0; i < converter.graph.size(); ++i) {
    const Node &other = converter.graph[i];
    if (other.op == "Stage" && stateNameOf(other) == stateNameOf(node))
      return intAttr(other, "capacity");
  }
  return intAttr(node, "capacity");
}

Operation *NodeConversion::declare(Operation *declaration, bool isRef) {
  auto nameOf = [](Operation *op) {
    return mlir::SymbolTable::getSymbolName(op).getValue();
  };
  llvm::StringRef name = nameOf(declaration);
  Operation *&known = converter.symbols[name];
  if (known) {
    bool same = known->getName() == declaration->getName() &&
                known->getAttrDictionary() == declaration->getAttrDictionary();
    if (!same)
      (void)fail(rt::str("there is other state of the name '", name.str(),
                         "', declared by node '", WeirDialect::describe(known),
                         "'"));
    declaration->erase();
    if (!same)
      return nullptr;
  } else {
    if (mlir::failed(mlir::verify(declaration))) {
      converter.symbols.erase(name);
      declaration->erase();
      return nullptr;
    }
    known = declaration;
  }
  converter.declarations[index] = known;
  auto handle = HandleOp::create(
      builder, loc, ResourceType::get(builder.getContext()), nameOf(known));
  created.push_back(handle);
  factsOf(handle.getResult()).origin = index;
  outputs.push_back({handle.getResult(), isRef});
  return known;
}

Facts &NodeConversion::factsOf(Value value) { return converter.facts[value]; }

Operation *NodeConversion::declarationOf(Value handle) {
  return converter.declarations.lookup(factsOf(handle).origin);
}

Type NodeConversion::contentOf(Value handle) {
  auto it = converter.contents.find(factsOf(handle).origin);
  return it == converter.contents.end() ? Type() : it->second;
}

void NodeConversion::addContent(Value handle, Type type) {
  int origin = factsOf(handle).origin;
  if (origin < 0 || !llvm::isa<mlir::RankedTensorType>(type))
    return;
  Type &known = converter.newContents[origin];
  Type joined = known ? joinTypes(known, type) : type;
  if (joined)
    known = joined;
}

void NodeConversion::addElement(Value list, Value element) {
  if (!llvm::isa<ResourceType>(element.getType()))
    return addContent(list, element.getType());
  int origin = factsOf(list).origin, made = factsOf(element).origin;
  auto [it, isNew] = converter.elementOrigins.try_emplace(origin, made);
  if (!isNew && it->second != made)
    it->second = -1;
}

void NodeConversion::takeElement(Value list, Value element) {
  if (!llvm::isa<ResourceType>(element.getType()))
    return;
  auto it = converter.elementOrigins.find(factsOf(list).origin);
  bool isKnown = it != converter.elementOrigins.end() && it->second >= 0;
  factsOf(element).origin = isKnown ? it->second : index;
}

Type NodeConversion::mergeType() {
  auto it = converter.mergeTypes.find(index);
  return it == converter.mergeTypes.end() ? Type() : it->second;
}

Type NodeConversion::assignedType(int port) {
  const Graph &graph = converter.graph;
  auto traced = [&](Edge edge) {
    for (int steps = 0; steps < 16 && graph[edge.node].op == "Identity" &&
                        !graph[edge.node].inputs.empty();
         ++steps)
      edge = graph[edge.node].inputs[0];
    return edge;
  };
  for (int i = 0; i < graph.size(); ++i) {
    const Node &user = graph[i];
    if ((user.op != "Assign" && user.op != "AssignVariableOp") ||
        user.inputs.size() < 2 || traced(user.inputs[1]) != Edge{index, port})
      continue;
    const Node &variable = graph[traced(user.inputs[0]).node];
    Type element = converter.elementType(
        typeAttr(variable, "dtype").value_or(pb::DT_INVALID));
    auto type = llvm::dyn_cast_or_null<mlir::RankedTensorType>(
        tensorType(shapeAttr(variable, "shape"), element));
    if (type && type.hasStaticShape())
      return type;
  }
  return {};
}
