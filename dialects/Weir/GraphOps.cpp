//===- GraphOps.cpp - Graphs, symbols and structure
//---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Weir.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), buildType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  if (result.regions.empty() || result.regions.front()->empty())
    return parser.emitError(parser.getNameLoc()) << "a graph needs a body";
  return success();
}

void GraphOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

std::string GraphOp::getFeedName(unsigned i) {
  if (auto name =
          getArgAttrOfType<StringAttr>(i, WeirDialect::getNameAttrName()))
    return name.str();
  return "arg" + std::to_string(i);
}

std::string GraphOp::getFetchName(unsigned i) {
  if (auto name =
          getResultAttrOfType<StringAttr>(i, WeirDialect::getNameAttrName()))
    return name.str();
  return "result" + std::to_string(i);
}

FetchOp GraphOp::getFetch() {
  return cast<FetchOp>(getBody().front().getTerminator());
}

LogicalResult GraphOp::verify() {
  // graph_c2
  for (Type type :
       llvm::concat<const Type>(getArgumentTypes(), getResultTypes()))
    if (failed(verifyAnyTensorType(type, [&] { return emitOpError(); })))
      return failure();
  // graph_c3
  llvm::StringSet<> feeds, fetches;
  for (unsigned i = 0, e = getNumArguments(); i < e; ++i)
    if (!feeds.insert(getFeedName(i)).second)
      return emitOpError() << "[WEIR0002] two feeds have the name '"
                           << getFeedName(i)
                           << "'; give each its own weir.name";
  for (unsigned i = 0, e = getFunctionType().getNumResults(); i < e; ++i)
    if (!fetches.insert(getFetchName(i)).second)
      return emitOpError() << "[WEIR0002] two fetches have the name '"
                           << getFetchName(i)
                           << "'; give each its own weir.name";
  return success();
}

/// True when a value of type `actual` is one of type `declared`, of which it
/// may say more.
static bool isAtLeastAsStatic(Type actual, Type declared) {
  if (!areCompatible(declared, actual))
    return false;
  if (actual == declared || isa<UnrankedTensorType>(declared))
    return true;
  if (isa<UnrankedTensorType>(actual))
    return false;
  auto extents = llvm::zip(cast<RankedTensorType>(actual).getShape(),
                           cast<RankedTensorType>(declared).getShape());
  return llvm::all_of(extents, [](auto pair) {
    auto [known, stated] = pair;
    return ShapedType::isDynamic(stated) || known == stated;
  });
}

LogicalResult GraphOp::verifyRegions() {
  Block &block = getBody().front();
  auto fetch = dyn_cast<FetchOp>(block.back());
  if (!fetch)
    return emitOpError() << "[WEIR0003] a graph ends with weir.fetch";
  // graph_c1
  if (!llvm::equal(fetch.getValues().getTypes(), getResultTypes(),
                   isAtLeastAsStatic)) {
    InFlightDiagnostic error = fetch.emitOpError()
                               << "[WEIR0004] fetches types ("
                               << fetch.getValues().getTypes() << ")";
    error.attachNote(getLoc())
        << "but the graph is declared to give (" << getResultTypes() << ")";
    return error;
  }
  // graph_c2
  for (Operation &op : block)
    for (Type type : op.getResultTypes())
      if (isa<RankedTensorType>(type) &&
          failed(verifyTensorType(type, [&] { return op.emitOpError(); })))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

LogicalResult VariableOp::verify() {
  // variable_c1
  auto type = dyn_cast<RankedTensorType>(getType());
  if (type && !type.hasStaticShape())
    return emitOpError() << "[WEIR0006] the extents of a variable are static, "
                            "or its rank is unknown; got "
                         << type;
  // variable_c2
  return verifyAnyTensorType(getType(), [&] { return emitOpError(); });
}

//===----------------------------------------------------------------------===//
// Constants, identities
//===----------------------------------------------------------------------===//

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute scalar;
  if (auto floating = dyn_cast<FloatType>(element))
    scalar = builder.getFloatAttr(floating, value);
  else
    scalar = IntegerAttr::get(
        element, llvm::APInt(element.getIntOrFloatBitWidth(),
                             static_cast<int64_t>(value), true, true));
  state.addTypes(type);
  state.getOrAddProperties<Properties>().value =
      DenseElementsAttr::get(type, scalar);
}

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       ElementsAttr value) {
  state.addTypes(value.getType());
  state.getOrAddProperties<Properties>().value = value;
}

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr>(getValue())) // constant_c2
    return emitOpError() << "[WEIR0009] the value is dense<...>; elements kept "
                            "sparse or outside the text are not supported";
  if (getValue().getType() != getType()) // constant_c1
    return emitOpError() << "[WEIR0009] the value has type "
                         << getValue().getType() << ", but the result "
                         << getType();
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

ArrayRef<StringLiteral> ConstantOp::getDeviceTypes() {
  static constexpr StringLiteral types[] = {"CPU", "GPU", "MXU"};
  return types;
}

OperandRange ConstantOp::getControlInputs() {
  return getOperation()->getOperands();
}
OperandRange ConstantOp::getDataInputs() {
  return getOperation()->getOperands();
}
MutableOperandRange ConstantOp::getControlInputsMutable() {
  return MutableOperandRange(getOperation(), 0, 0);
}

LogicalResult IdentityOp::infer(Adaptor adaptor, InferContext,
                                SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

OpFoldResult IdentityOp::fold(FoldAdaptor) {
  // An identity that waits for something is where the wait takes place.
  if (getControls().empty() && getInput().getType() == getType())
    return forward(getInput(), *this);
  return {};
}

LogicalResult StopGradientOp::infer(Adaptor adaptor, InferContext,
                                    SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// GradientsOp, GroupOp
//===----------------------------------------------------------------------===//

LogicalResult GradientsOp::verify() {
  // gradients_c1
  if (getXs().getTypes() != getGradients().getTypes())
    return emitOpError() << "[WEIR0010] the gradients have the types of what "
                            "they are taken with respect to: expected ("
                         << getXs().getTypes() << "), got ("
                         << getGradients().getTypes() << ")";
  // gradients_c2
  if (getSeed() && getSeed().getType() != getY().getType())
    return emitOpError() << "[WEIR0010] the seed has type "
                         << getSeed().getType() << ", but y has type "
                         << getY().getType();
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  // group_c1
  if (yield.getValues().getTypes() != getResultTypes())
    return yield.emitOpError()
           << "[WEIR0011] yields (" << yield.getValues().getTypes()
           << "), but the group gives (" << getResultTypes() << ")";
  // group_c2
  for (Operation &op : getBody().front())
    if (isa<NodeInterface>(op) &&
        !isMemoryEffectFree(
            &op)) // What nodes are lowered to may check at run time.
      return op.emitOpError()
             << "[WEIR0011] has effects: it cannot be part of a fusion group";
  return success();
}

} // namespace weir
