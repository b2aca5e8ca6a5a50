//===- Attributes.cpp - Python values as attributes and types -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "mlir/AsmParser/AsmParser.h"
#include "python_bindings/src/Graph.h"

using namespace mlir;

namespace weir::python {

Type elementType(MLIRContext &context, int32_t dtype) {
  Builder builder(&context);
  auto integer = [&](unsigned width) {
    return IntegerType::get(&context, width);
  };
  auto unsignedInteger = [&](unsigned width) {
    return IntegerType::get(&context, width, IntegerType::Unsigned);
  };
  switch (dtype) {
  case WEIR_F32:
    return builder.getF32Type();
  case WEIR_F64:
    return builder.getF64Type();
  case WEIR_F16:
    return builder.getF16Type();
  case WEIR_BF16:
    return builder.getBF16Type();
  case WEIR_BOOL:
    return integer(1);
  case WEIR_I8:
    return integer(8);
  case WEIR_I16:
    return integer(16);
  case WEIR_I32:
    return integer(32);
  case WEIR_I64:
    return integer(64);
  case WEIR_U8:
    return unsignedInteger(8);
  case WEIR_U16:
    return unsignedInteger(16);
  case WEIR_U32:
    return unsignedInteger(32);
  case WEIR_U64:
    return unsignedInteger(64);
  case WEIR_STRING:
    return StringType::get(&context);
  default:
    raise("[WEIR0513] " + std::to_string(dtype) + " is no element type");
  }
}

int32_t dtypeOf(Type element) {
  if (element.isF32())
    return WEIR_F32;
  if (element.isF64())
    return WEIR_F64;
  if (element.isF16())
    return WEIR_F16;
  if (element.isBF16())
    return WEIR_BF16;
  if (isa<StringType>(element))
    return WEIR_STRING;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return WEIR_DTYPE_INVALID;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return WEIR_BOOL;
  case 8:
    return isUnsigned ? WEIR_U8 : WEIR_I8;
  case 16:
    return isUnsigned ? WEIR_U16 : WEIR_I16;
  case 32:
    return isUnsigned ? WEIR_U32 : WEIR_I32;
  case 64:
    return isUnsigned ? WEIR_U64 : WEIR_I64;
  default:
    return WEIR_DTYPE_INVALID;
  }
}

RankedTensorType tensorType(MLIRContext &context, const TypeSpec &spec) {
  SmallVector<int64_t> shape;
  for (int64_t extent : spec.dims)
    shape.push_back(extent < 0 ? ShapedType::kDynamic : extent);
  return RankedTensorType::get(shape, elementType(context, spec.dtype));
}

/// The pairs that say what they are, which Python has no type of its own for.
static Attribute taggedAttribute(MLIRContext &context, const std::string &tag,
                                 nb::handle value) {
  if (tag == "symbol")
    return FlatSymbolRefAttr::get(&context, nb::cast<std::string>(value));
  if (tag == "dtype")
    return TypeAttr::get(elementType(context, nb::cast<int32_t>(value)));
  if (tag == "type") {
    auto [dtype, dims] =
        nb::cast<std::pair<int32_t, std::vector<int64_t>>>(value);
    return TypeAttr::get(tensorType(context, {dtype, dims}));
  }
  if (tag == "enum")
    if (Attribute parsed =
            parseAttribute(nb::cast<std::string>(value), &context))
      return parsed;
  raise("[WEIR0513] no attribute can be made of the pair (" + tag + ", " +
        nb::cast<std::string>(nb::str(value)) + ")");
}

Attribute attributeFrom(MLIRContext &context, nb::handle value) {
  Builder builder(&context);
  if (value.is_none())
    return {};
  if (nb::isinstance<nb::bool_>(value))
    return nb::cast<bool>(value) ? builder.getUnitAttr() : Attribute();
  if (nb::isinstance<nb::int_>(value))
    return builder.getI64IntegerAttr(nb::cast<int64_t>(value));
  if (nb::isinstance<nb::float_>(value))
    return builder.getF64FloatAttr(nb::cast<double>(value));
  if (nb::isinstance<nb::str>(value))
    return builder.getStringAttr(nb::cast<std::string>(value));
  if (nb::isinstance<nb::tuple>(value)) {
    nb::tuple pair = nb::borrow<nb::tuple>(value);
    if (pair.size() == 2 && nb::isinstance<nb::str>(pair[0]))
      return taggedAttribute(context, nb::cast<std::string>(pair[0]), pair[1]);
  }
  if (nb::isinstance<nb::list>(value)) {
    nb::list items = nb::borrow<nb::list>(value);
    if (items.size() != 0 && nb::isinstance<nb::str>(items[0])) {
      SmallVector<Attribute> strings;
      for (nb::handle item : items)
        strings.push_back(builder.getStringAttr(nb::cast<std::string>(item)));
      return builder.getArrayAttr(strings);
    }
    return builder.getDenseI64ArrayAttr(nb::cast<std::vector<int64_t>>(value));
  }
  raise("[WEIR0513] no attribute can be made of " +
        nb::cast<std::string>(nb::repr(value)));
}

} // namespace weir::python
