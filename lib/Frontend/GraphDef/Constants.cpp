//===- Constants.cpp - Tensors of a GraphDef as constants ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "lib/Frontend/GraphDef/Converter.h"
#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;

// A constant is stored in full when its elements differ.
static constexpr int64_t kLargestConstant = int64_t(1) << 28;

/// Fills `tensor` from a field with values of which the last is repeated.
template <typename To, typename Field>
static void fill(Tensor &tensor, const Field &values) {
  To *to = tensor.write<To>();
  int64_t given = std::min<int64_t>(values.size(), tensor.size());
  for (int64_t i = 0; i < tensor.size(); ++i)
    to[i] =
        given
            ? static_cast<To>(values[static_cast<int>(std::min(i, given - 1))])
            : To();
}

/// The number of values that the field for the type has.
static int countGiven(const pb::TensorProto &proto) {
  switch (proto.dtype()) {
  case pb::DT_FLOAT:
    return proto.float_val_size();
  case pb::DT_DOUBLE:
    return proto.double_val_size();
  case pb::DT_INT64:
    return proto.int64_val_size();
  case pb::DT_BOOL:
    return proto.bool_val_size();
  case pb::DT_HALF:
  case pb::DT_BFLOAT16:
    return proto.half_val_size();
  case pb::DT_UINT32:
    return proto.uint32_val_size();
  case pb::DT_UINT64:
    return proto.uint64_val_size();
  case pb::DT_STRING:
    return proto.string_val_size();
  default:
    return proto.int_val_size();
  }
}

static void fillFromFields(Tensor &tensor, const pb::TensorProto &proto) {
  switch (proto.dtype()) {
  case pb::DT_FLOAT:
    return fill<float>(tensor, proto.float_val());
  case pb::DT_DOUBLE:
    return fill<double>(tensor, proto.double_val());
  case pb::DT_INT64:
    return fill<int64_t>(tensor, proto.int64_val());
  case pb::DT_BOOL:
    return fill<uint8_t>(tensor, proto.bool_val());
  case pb::DT_HALF:
  case pb::DT_BFLOAT16:
    return fill<uint16_t>(tensor, proto.half_val());
  case pb::DT_UINT32:
    return fill<uint32_t>(tensor, proto.uint32_val());
  case pb::DT_UINT64:
    return fill<uint64_t>(tensor, proto.uint64_val());
  case pb::DT_INT8:
    return fill<int8_t>(tensor, proto.int_val());
  case pb::DT_UINT8:
    return fill<uint8_t>(tensor, proto.int_val());
  case pb::DT_INT16:
    return fill<int16_t>(tensor, proto.int_val());
  case pb::DT_UINT16:
    return fill<uint16_t>(tensor, proto.int_val());
  default:
    return fill<int32_t>(tensor, proto.int_val());
  }
}

static mlir::ElementsAttr makeStrings(const pb::TensorProto &proto,
                                      mlir::RankedTensorType type,
                                      int64_t count, std::string &reason) {
  if (!proto.tensor_content().empty()) {
    reason = "its strings are in tensor_content";
    return {};
  }
  std::vector<llvm::StringRef> values;
  int given = proto.string_val_size();
  int64_t stored = given <= 1 ? 1 : count;
  for (int64_t i = 0; i < stored; ++i)
    values.push_back(given ? llvm::StringRef(proto.string_val(static_cast<int>(
                                 std::min<int64_t>(i, given - 1))))
                           : llvm::StringRef());
  if (count == 0)
    values.clear();
  return mlir::DenseStringElementsAttr::get(type, values);
}

mlir::ElementsAttr weir::graphdef::makeConstant(const pb::TensorProto &proto,
                                                mlir::MLIRContext *context,
                                                std::string &reason) {
  mlir::Type element = elementTypeOf(context, proto.dtype());
  if (!element) {
    reason =
        rt::str("there is no element type ", pb::DataType_Name(proto.dtype()));
    return {};
  }
  llvm::SmallVector<int64_t> shape;
  for (const auto &dim : proto.tensor_shape().dim())
    shape.push_back(dim.size());
  std::optional<int64_t> count;
  if (!proto.tensor_shape().unknown_rank() && shape.size() <= WEIR_MAX_RANK &&
      llvm::all_of(shape, [](int64_t extent) {
        return extent >= 0 && extent < (int64_t(1) << 48);
      }))
    count = elementCount(shape);
  auto type = count ? mlir::RankedTensorType::get(shape, element)
                    : mlir::RankedTensorType();
  int64_t width =
      element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 8;
  if (!count || *count >= (int64_t(1) << 48) / width) {
    reason = "its shape is none that a tensor has";
    return {};
  }
  bool isSplat = proto.tensor_content().empty() && countGiven(proto) <= 1;
  if (!isSplat && *count > kLargestConstant) {
    reason = rt::str("it has ", *count, " elements; at most ", kLargestConstant,
                     " are stored one by one");
    return {};
  }
  if (proto.dtype() == pb::DT_STRING)
    return makeStrings(proto, type, *count, reason);
  auto dtype = static_cast<WeirDType>(proto.dtype());
  if (isSplat && *count > 0) {
    Tensor one(dtype, {});
    fillFromFields(one, proto);
    return one.toAttribute(mlir::RankedTensorType::get({}, element))
        .resizeSplat(type);
  }
  Tensor tensor(dtype, shape);
  if (proto.tensor_content().empty()) {
    fillFromFields(tensor, proto);
  } else {
    const std::string &content = proto.tensor_content();
    if (static_cast<int64_t>(content.size()) != *count * width) {
      reason = rt::str("its tensor_content has ", content.size(),
                       " bytes, but its shape and type take ", *count * width);
      return {};
    }
    memcpy(tensor.write<char>(), content.data(), content.size());
    // A byte that is neither 0 nor 1 is no boolean.
    if (dtype == WEIR_BOOL)
      for (int64_t i = 0; i < *count; ++i)
        tensor.write<uint8_t>()[i] = tensor.read<uint8_t>()[i] != 0;
  }
  return tensor.toAttribute(type);
}
