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
  if (Type type = elementTypeOf(&context, dtype))
    return type;
  raise("[WEIR0513] " + std::to_string(dtype) + " is no element type");
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
