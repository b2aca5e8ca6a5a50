//===- InputOps.cpp - Readers, decoders, strings -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

LogicalResult ReaderOp::verify() {
  // reader_c1
  size_t expected = 0;
  switch (getKind()) {
  case ReaderKind::text_line:
  case ReaderKind::tfrecord:
    expected = 1;
    break;
  case ReaderKind::fixed_length:
    expected = 4;
    break;
  default:
    break;
  }
  if (getNumbers().size() != expected)
    return emitOpError() << "[WEIR0068] a " << stringifyReaderKind(getKind())
                         << " reader has " << expected << " numbers, got "
                         << getNumbers().size();
  for (int64_t number : getNumbers())
    if (number < 0)
      return emitOpError() << "[WEIR0068] a reader's numbers are not negative, "
                              "got "
                           << number;
  return success();
}

LogicalResult DecodeImageOp::verify() {
  // decode_image_c1
  if (getFormat() != "png" && getFormat() != "jpeg")
    return emitOpError()
           << "[WEIR0069] the format is \"png\" or \"jpeg\", got \""
           << getFormat() << "\"";
  if (getChannels() > 4)
    return emitOpError() << "[WEIR0069] an image has 0 <= channels <= 4, got "
                         << static_cast<int64_t>(getChannels());
  return success();
}

LogicalResult ParseExampleOp::verify() {
  // parse_example_c1
  if (getNames().size() != getDefaults().size() ||
      getNames().size() != getFeatures().size() ||
      getNames().size() != getValues().size())
    return emitOpError() << "[WEIR0069] has " << getNames().size() << " names, "
                         << getFeatures().size() << " types, "
                         << getDefaults().size() << " defaults and "
                         << getValues().size() << " results";
  for (Attribute feature : getFeatures()) {
    auto type = dyn_cast<RankedTensorType>(cast<TypeAttr>(feature).getValue());
    if (!type || !type.hasStaticShape() ||
        !isElementType(type.getElementType()))
      return emitOpError()
             << "[WEIR0069] a feature is a tensor of static extents, got "
             << feature;
  }
  return success();
}

SmallVector<int64_t> ParseExampleOp::getCallNumbers() {
  SmallVector<int64_t> numbers;
  for (Attribute feature : getFeatures()) {
    auto type = cast<RankedTensorType>(cast<TypeAttr>(feature).getValue());
    numbers.push_back(type.getRank());
    llvm::append_range(numbers, type.getShape());
  }
  return numbers;
}

SmallVector<std::string> ParseExampleOp::getCallTexts() {
  SmallVector<std::string> names;
  for (StringRef name : getNames().getAsValueRange<StringAttr>())
    names.push_back(name.str());
  return names;
}

} // namespace weir
