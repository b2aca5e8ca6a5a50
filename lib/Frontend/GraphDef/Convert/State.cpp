//===- State.cpp - Variables, checkpoints -------------------------------===//
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

static std::optional<mlir::TensorType> variableType(NodeConversion &n) {
  Type element = n.elementTypeAttr("dtype");
  if (!element)
    return std::nullopt;
  mlir::TensorType type = n.tensorType(shapeAttr(n.node, "shape"), element);
  if (!type.hasRank() || !type.hasStaticShape())
    return mlir::UnrankedTensorType::get(element);
  return type;
}

template <bool isRef> static LogicalResult convertVariable(NodeConversion &n) {
  auto type = variableType(n);
  if (!type)
    return mlir::failure();
  mlir::OpBuilder at = n.declarationBuilder();
  return mlir::success(n.declare(VariableOp::create(at, n.loc, n.stateName(),
                                                    *type, mlir::StringAttr()),
                                 isRef) != nullptr);
}

static LogicalResult convertRead(NodeConversion &n) {
  auto variable = n.variable(0);
  Type element = n.elementTypeAttr("dtype");
  if (!variable || !element)
    return mlir::failure();
  Value value = n.readVariable(*variable, element);
  if (!value || n.elementOf(value) != element)
    return n.fail("the variable is of another type than attribute 'dtype'");
  n.setControl(value.getDefiningOp()->getResults().back());
  return n.output(value);
}

/// An update hands the reference on, or has no output where it is by handle.
static LogicalResult finishUpdate(NodeConversion &n,
                                  const NodeConversion::Variable &variable,
                                  Value done) {
  n.setControl(done);
  const Output *output = n.rawInput(0);
  return output->isRef ? n.outputRef(output->value, done) : mlir::success();
}

template <typename BySymbolT, typename ByHandleT>
static LogicalResult convertAssign(NodeConversion &n) {
  auto variable = n.variable(0);
  Value value = n.anyTensor(1);
  if (!variable || !value)
    return mlir::failure();
  if (VariableOp declaration = variable->declaration)
    if (!areCompatible(declaration.getType(), value.getType()))
      return n.failInvalid("the value does not fit the variable");
  // By symbol, the type is known at least in part.
  if (!llvm::isa<mlir::RankedTensorType>(value.getType()))
    variable->isDirect = false;
  mlir::Operation *op = n.access<BySymbolT, ByHandleT>(*variable, value, {});
  return finishUpdate(n, *variable, op->getResult(0));
}

static LogicalResult convertIsInitialized(NodeConversion &n) {
  auto variable = n.variable(0);
  if (!variable)
    return mlir::failure();
  return n.outputsOf(n.access<IsInitializedOp, IsInitializedResourceOp>(
      *variable, {}, n.scalarType(n.builder.getI1Type())));
}

template <ScatterKind kind>
static LogicalResult convertScatter(NodeConversion &n) {
  auto variable = n.variable(0);
  Value indices = n.tensor(1), updates = n.tensor(2);
  if (!variable || !indices || !updates)
    return mlir::failure();
  if (!variable->declaration)
    return n.fail("which variable it updates is not known");
  VariableOp declaration = variable->declaration;
  // TensorFlow lets a single index be a scalar.
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(declaration.getType());
  if (!type)
    return n.fail("the shape of the variable is not known");
  if (type.getElementType() != n.elementOf(updates))
    return n.fail("the updates are not of the variable's type");
  llvm::SmallVector<mlir::NamedAttribute> attrs{
      n.attr("kind", ScatterKindAttr::get(n.builder.getContext(), kind))};
  if (!variable->isDirect)
    attrs.push_back(n.type("type", type));
  mlir::Operation *op = n.access<AssignScatterOp, AssignScatterResourceOp>(
      *variable, {indices, updates}, {}, attrs);
  return finishUpdate(n, *variable, op->getResult(0));
}

static LogicalResult convertResourceGather(NodeConversion &n) {
  auto variable = n.variable(0);
  Value indices = n.tensor(1);
  Type element = n.elementTypeAttr("dtype");
  if (!variable || !indices || !element)
    return mlir::failure();
  if (intAttr(n.node, "batch_dims").value_or(0) != 0)
    return n.fail("batch_dims has to be 0");
  return n.emit<GatherOp>({n.readVariable(*variable, element), indices},
                          n.i64("axis", 0));
}

static LogicalResult convertVariableShape(NodeConversion &n) {
  auto variable = n.variable(0);
  if (!variable)
    return mlir::failure();
  if (!variable->declaration)
    return n.fail("which variable it is about is not known");
  VariableOp declaration = variable->declaration;
  auto shape = llvm::dyn_cast<mlir::RankedTensorType>(declaration.getType());
  if (!shape)
    return n.fail("the shape of the variable is not known");
  Type element =
      n.elementType(typeAttr(n.node, "out_type").value_or(pb::DT_INT32));
  return n.output(
      n.constantInts(shape.getShape(),
                     mlir::RankedTensorType::get({shape.getRank()}, element)));
}

/// Gives the value before, and adds 1, unless the limit is reached.
static LogicalResult convertTemporary(NodeConversion &n) {
  auto type = variableType(n);
  if (!type)
    return mlir::failure();
  mlir::Operation *op = n.makeStateful<TemporaryVariableOp>(
      {}, ResourceType::get(n.builder.getContext()), n.type("type", *type));
  Value made = op->getResult(0);
  n.factsOf(made).origin = n.index;
  n.addContent(made, *type);
  n.setControl(op->getResult(1));
  return n.outputRef(made, {});
}

/// The value, after which nobody finds the variable any more.
static LogicalResult convertDestroyTemporary(NodeConversion &n) {
  auto variable = n.variable(0);
  Type element = n.elementTypeAttr("T");
  if (!variable || !element)
    return mlir::failure();
  Value value = n.readVariable(*variable, element);
  mlir::Operation *destroy =
      n.makeStateful<VariableDestroyOp>(variable->handle, {});
  if (!value || !destroy)
    return mlir::failure();
  llvm::cast<NodeInterface>(destroy).getControlInputsMutable().append(
      value.getDefiningOp()->getResults().back());
  n.setControl(destroy->getResult(0));
  return n.output(value);
}

static LogicalResult convertDestroy(NodeConversion &n) {
  auto variable = n.variable(0);
  if (!variable)
    return mlir::failure();
  if (!variable->declaration)
    return n.fail("only the value of a variable can be destroyed");
  return n.outputsOf(n.makeStateful<VariableDestroyOp>(variable->handle, {}));
}

/// One of several variables, which a number selects.
static LogicalResult convertRefSelect(NodeConversion &n) {
  Value index = n.tensor(0);
  if (!index)
    return mlir::failure();
  llvm::SmallVector<Value> operands{index}, waits;
  Type type;
  bool isOneType = true;
  for (unsigned i = 1; i < n.inputCount(); ++i) {
    const Output *output = n.rawInput(i);
    if (!output)
      return mlir::failure();
    if (!output->isRef)
      return n.failInvalid(rt::str("input ", i, " is no reference"));
    operands.push_back(output->value);
    if (output->after)
      waits.push_back(output->after);
    auto declaration =
        llvm::dyn_cast_or_null<VariableOp>(n.declarationOf(output->value));
    Type own =
        declaration ? Type(declaration.getType()) : n.contentOf(output->value);
    isOneType &= own && (!type || own == type);
    type = own;
  }
  mlir::Operation *op = n.makeStateful<SelectNOp>(
      operands, ResourceType::get(n.builder.getContext()));
  if (!op)
    return mlir::failure();
  llvm::cast<NodeInterface>(op).getControlInputsMutable().append(waits);
  Value chosen = op->getResult(0);
  n.factsOf(chosen).origin = n.index;
  if (isOneType)
    n.addContent(chosen, type);
  n.setControl(op->getResult(1));
  return n.outputRef(chosen, {});
}

static LogicalResult convertCountUpTo(NodeConversion &n) {
  auto variable = n.variable(0);
  std::optional<int64_t> limit = intAttr(n.node, "limit");
  if (!variable || !limit)
    return n.fail("it has no limit");
  Type element = n.elementTypeAttr("T");
  Value value = n.readVariable(*variable, element);
  if (!value)
    return mlir::failure();
  Value isBelow = n.compare(value, n.scalarLike(value, double(*limit)),
                            ComparePredicate::lt);
  if (!isBelow)
    return mlir::failure();
  mlir::Operation *check = n.makeStateful<AssertOp>(
      isBelow, {},
      {n.text("message", rt::str("Reached limit of ", *limit)),
       n.unit("out_of_range")});
  mlir::Operation *update = n.access<AssignAddOp, AssignAddResourceOp>(
      *variable, n.scalarLike(value, 1), {});
  llvm::cast<NodeInterface>(update).getControlInputsMutable().append(
      check->getResult(0));
  n.setControl(update->getResult(0));
  Value before = n.make<IdentityOp>(value);
  if (before)
    llvm::cast<NodeInterface>(before.getDefiningOp())
        .getControlInputsMutable()
        .append(update->getResult(0));
  return n.output(before);
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

static mlir::ArrayAttr nameList(NodeConversion &n, unsigned i) {
  auto names = n.strings(i);
  if (!names)
    return {};
  llvm::SmallVector<llvm::StringRef> list(names->begin(), names->end());
  return n.builder.getStrArrayAttr(list);
}

static bool takesWhole(NodeConversion &n, unsigned i) {
  auto slices = n.strings(i);
  if (!slices)
    return false;
  if (llvm::all_of(*slices, [](const std::string &s) { return s.empty(); }))
    return true;
  (void)n.fail("slices of tensors are not supported");
  return false;
}

static LogicalResult convertSave(NodeConversion &n) {
  Value path = n.tensor(0);
  mlir::ArrayAttr names = nameList(n, 1);
  if (!path || !names || !takesWhole(n, 2))
    return mlir::failure();
  llvm::SmallVector<Value> operands{path};
  for (unsigned i = 3; i < n.inputCount(); ++i)
    operands.push_back(n.tensor(i));
  mlir::Operation *op =
      n.makeStateful<SaveOp>(operands, {}, n.attr("names", names));
  return n.outputsOf(op);
}

/// What is restored is of the type of the variable that it is assigned to.
static LogicalResult convertRestore(NodeConversion &n) {
  Value path = n.tensor(0);
  mlir::ArrayAttr names = nameList(n, 1);
  if (!path || !names || !takesWhole(n, 2))
    return mlir::failure();
  llvm::SmallVector<Type> types;
  for (size_t port = 0; port < names.size(); ++port) {
    Type type = n.assignedType(static_cast<int>(port));
    if (!type)
      return n.fail(rt::str("the shape of output ", port,
                            " is not known: it is assigned to no variable"));
    types.push_back(type);
  }
  return n.outputsOf(
      n.makeStateful<RestoreOp>(path, types, n.attr("names", names)));
}

void weir::graphdef::addStateConverters(ConverterTable &table) {
  table["Variable"] = table["VariableV2"] = convertVariable<true>;
  table["VarHandleOp"] = convertVariable<false>;
  table["ReadVariableOp"] = convertRead;
  table["Assign"] = convertAssign<AssignOp, AssignResourceOp>;
  table["AssignVariableOp"] = convertAssign<AssignOp, AssignResourceOp>;
  table["AssignAdd"] = convertAssign<AssignAddOp, AssignAddResourceOp>;
  table["AssignAddVariableOp"] = table["AssignAdd"];
  table["AssignSub"] = convertAssign<AssignSubOp, AssignSubResourceOp>;
  table["AssignSubVariableOp"] = table["AssignSub"];
  table["IsVariableInitialized"] = convertIsInitialized;
  table["VarIsInitializedOp"] = convertIsInitialized;
  for (const char *prefix : {"", "Resource"}) {
    auto row = [&](const char *op, OpConverter converter) {
      table[rt::str(prefix, op)] = converter;
    };
    row("ScatterUpdate", convertScatter<ScatterKind::assign>);
    row("ScatterAdd", convertScatter<ScatterKind::add>);
    row("ScatterSub", convertScatter<ScatterKind::sub>);
    row("ScatterMul", convertScatter<ScatterKind::mul>);
    row("ScatterDiv", convertScatter<ScatterKind::div>);
    row("ScatterMin", convertScatter<ScatterKind::min>);
    row("ScatterMax", convertScatter<ScatterKind::max>);
    row("CountUpTo", convertCountUpTo);
  }
  table["TemporaryVariable"] = convertTemporary;
  table["DestroyTemporaryVariable"] = convertDestroyTemporary;
  table["DestroyResourceOp"] = convertDestroy;
  table["RefSelect"] = convertRefSelect;
  table["ResourceGather"] = convertResourceGather;
  table["VariableShape"] = convertVariableShape;
  table["SaveV2"] = convertSave;
  table["RestoreV2"] = convertRestore;
}
