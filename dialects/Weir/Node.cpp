//===- Node.cpp - The shared text form of nodes
//-----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Node.h"

#include "dialects/Weir/Weir.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

bool areCompatible(TypeRange inferred, TypeRange declared) {
  if (inferred.size() != declared.size())
    return false;
  for (auto [a, b] : llvm::zip(inferred, declared)) {
    if (a == b)
      continue;
    auto x = dyn_cast<TensorType>(a), y = dyn_cast<TensorType>(b);
    if (!x || !y || x.getElementType() != y.getElementType() ||
        failed(verifyCompatibleShape(x, y)))
      return false;
  }
  return true;
}

LogicalResult verifyDeclared(InferTypeOpInterface inference) {
  Operation *op = inference;
  SmallVector<Type> inferred;
  if (failed(inference.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return failure();
  if (areCompatible(inferred, op->getResultTypes()))
    return success();
  return op->emitOpError() << "[WEIR0016] gives (" << inferred
                           << "), but is declared to give ("
                           << op->getResultTypes() << ")";
}

bool isElementType(Type type) {
  if (isa<StringType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
          type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return false;
  bool sized = llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return integer.isUnsigned()
             ? sized
             : integer.isSignless() && (sized || integer.getWidth() == 1);
}

LogicalResult verifyTensorType(Type type,
                               function_ref<InFlightDiagnostic()> error) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isElementType(tensor.getElementType()))
    return error() << "[WEIR0001] expected a ranked tensor of a numeric, "
                      "boolean or string element type, got "
                   << type;
  if (tensor.getEncoding())
    return error() << "[WEIR0001] a tensor has no encoding, got " << type;
  constexpr int64_t limit = int64_t(1) << 48;
  int64_t bytes = tensor.getElementType().isIntOrFloat()
                      ? (tensor.getElementTypeBitWidth() + 7) / 8
                      : 8;
  for (int64_t extent : tensor.getShape())
    if (!ShapedType::isDynamic(extent) &&
        (llvm::MulOverflow(bytes, std::max<int64_t>(extent, 1), bytes) ||
         bytes >= limit))
      return error() << "[WEIR0017] a tensor takes less than 2^48 bytes, got "
                     << type;
  return success();
}

LogicalResult verifyAnyTensorType(Type type,
                                  function_ref<InFlightDiagnostic()> error) {
  if (auto tensor = dyn_cast<UnrankedTensorType>(type);
      tensor && isElementType(tensor.getElementType()))
    return success();
  return verifyTensorType(type, error);
}

static ParseResult
parseControls(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &controls) {
  if (failed(parser.parseOptionalKeyword("after")))
    return success();
  return parser.parseOperandList(controls, OpAsmParser::Delimiter::Paren);
}

static void printControls(OperandRange controls, OpAsmPrinter &printer) {
  if (!controls.empty())
    printer << " after(" << controls << ")";
}

/// Attributes as the op declares them, or an error at their place.
static ParseResult parseAttributes(OpAsmParser &parser,
                                   OperationState &result) {
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  auto error = [&] {
    return parser.emitError(place)
           << "'" << result.name.getStringRef() << "' op ";
  };
  return failure(
      failed(result.name.verifyInherentAttrs(result.attributes, error)));
}

ParseResult parseNodeBody(OpAsmParser &parser, OperationState &result,
                          unsigned &dataCount, unsigned &controlCount) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, controls;
  FunctionType type;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs) || parseControls(parser, controls) ||
      parseAttributes(parser, result) || parser.parseColonType(type) ||
      parser.resolveOperands(inputs, type.getInputs(), place,
                             result.operands) ||
      parser.resolveOperands(controls, ControlType::get(parser.getContext()),
                             result.operands))
    return failure();
  result.addTypes(type.getResults());
  dataCount = inputs.size();
  controlCount = controls.size();
  return success();
}

void printNodeBody(Operation *op, OperandRange inputs, OperandRange controls,
                   OpAsmPrinter &printer) {
  if (!inputs.empty())
    printer << ' ' << inputs;
  printControls(controls, printer);
  printer.printOptionalAttrDict(op->getAttrs(), {"operandSegmentSizes"});
  printer << " : ";
  printer.printFunctionalType(inputs.getTypes(), op->getResultTypes());
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

ParseResult GradientsOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand y, seed;
  SmallVector<OpAsmParser::UnresolvedOperand> xs, controls;
  bool hasSeed = false;
  FunctionType type;
  if (parser.parseOperand(y) || parser.parseKeyword("wrt") ||
      parser.parseOperandList(xs, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("seed"))) {
    hasSeed = true;
    if (parser.parseLParen() || parser.parseOperand(seed) ||
        parser.parseRParen())
      return failure();
  }
  SMLoc place = parser.getCurrentLocation();
  if (parseControls(parser, controls) || parseAttributes(parser, result) ||
      parser.parseColonType(type))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs{y};
  inputs.append(xs);
  if (hasSeed)
    inputs.push_back(seed);
  if (parser.resolveOperands(inputs, type.getInputs(), place,
                             result.operands) ||
      parser.resolveOperands(controls, ControlType::get(parser.getContext()),
                             result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, static_cast<int32_t>(xs.size()), hasSeed ? 1 : 0,
      static_cast<int32_t>(controls.size())};
  return success();
}

void GradientsOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getY() << " wrt(" << getXs() << ")";
  if (getSeed())
    printer << " seed(" << getSeed() << ")";
  printControls(getControls(), printer);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : ";
  printer.printFunctionalType(getDataInputs().getTypes(),
                              (*this)->getResultTypes());
}

ParseResult SaveOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, controls;
  SmallVector<Type> types;
  ArrayAttr names;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs) || parser.parseKeyword("names") ||
      parser.parseAttribute(names, "names", result.attributes) ||
      parseControls(parser, controls) || parseAttributes(parser, result) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(inputs, types, place, result.operands) ||
      parser.resolveOperands(controls, ControlType::get(parser.getContext()),
                             result.operands))
    return failure();
  result.addTypes(ControlType::get(parser.getContext()));
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, static_cast<int32_t>(inputs.size()) - 1,
      static_cast<int32_t>(controls.size())};
  return success();
}

void SaveOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getDataInputs() << " names " << getNames();
  printControls(getControls(), printer);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"operandSegmentSizes", "names"});
  printer << " : " << getDataInputs().getTypes();
}

} // namespace weir
