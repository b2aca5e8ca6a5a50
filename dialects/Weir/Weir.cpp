//===- Weir.cpp - The weir dialect
//----------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"

#include "dialects/Weir/DTypes.h"

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Gradients.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/Weir/WeirDialect.cpp.inc"
#include "dialects/Weir/WeirEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Weir/WeirTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Weir/WeirAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Weir/WeirOps.cpp.inc"

namespace weir {

void WeirDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Weir/WeirTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Weir/WeirAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Weir/WeirOps.cpp.inc"
      >();
  attachGradients(*getContext());
}

Operation *WeirDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

std::string WeirDialect::describe(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(getNameAttrName()))
    return name.str();
  return op->getName().getStringRef().str();
}

static LogicalResult
verifyNodeAttribute(NamedAttribute attribute,
                    function_ref<InFlightDiagnostic()> error) {
  StringRef name = attribute.getName().getValue();
  if (name != WeirDialect::getDeviceAttrName() &&
      name != WeirDialect::getColocateAttrName() &&
      name != WeirDialect::getNameAttrName())
    return error()
           << "[WEIR0015] unknown attribute '" << name
           << "'; a node may carry weir.device, weir.colocate and weir.name";
  auto text = dyn_cast<StringAttr>(attribute.getValue());
  if (!text || text.getValue().empty())
    return error() << "[WEIR0015] '" << name
                   << "' is a string that is not empty, got "
                   << attribute.getValue();
  return success();
}

LogicalResult WeirDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  return verifyNodeAttribute(attribute, [&] { return op->emitOpError(); });
}

LogicalResult WeirDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attribute) {
  return verifyNodeAttribute(attribute, [&] { return op->emitOpError(); });
}

LogicalResult
WeirDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                         NamedAttribute attribute) {
  return verifyNodeAttribute(attribute, [&] { return op->emitOpError(); });
}

} // namespace weir
