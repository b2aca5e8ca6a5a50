//===- QuantizedOps.cpp - Arithmetic on int8 ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Images.h"
#include "dialects/Weir/Weir.h"

#include <cmath>

using namespace mlir;

namespace weir {

static bool isInt8(int64_t value) { return value >= -128 && value <= 127; }

/// An error unless `type` can be stored with one scale, or one for each place
/// of a dimension.
template <typename Adaptor>
static LogicalResult checkStorage(Adaptor adaptor, RankedTensorType type,
                                  InferContext context) {
  ArrayRef<float> scales = adaptor.getScales();
  ArrayRef<int32_t> zeros = adaptor.getZeroPoints();
  int64_t axis = adaptor.getAxis(), places = 1;
  if (axis != -1) {
    if (axis < 0 || axis >= type.getRank() || type.isDynamicDim(axis))
      return context.error() // quantize_c1, dequantize_c1
             << "[WEIR0072] axis " << axis
             << " is -1 or a dimension of static extent of " << type;
    places = type.getDimSize(axis);
  }
  if (static_cast<int64_t>(scales.size()) != places ||
      static_cast<int64_t>(zeros.size()) != places)
    return context.error() // quantize_c1, dequantize_c1
           << "[WEIR0072] there are " << scales.size() << " scales and "
           << zeros.size() << " zero points for " << places
           << (axis == -1 ? " tensor" : " places along the axis")
           << "; there has to be one for each";
  for (auto [scale, zero] : llvm::zip_equal(scales, zeros))
    if (!std::isfinite(scale) || scale <= 0 || !isInt8(zero))
      return context.error() // quantize_c2, dequantize_c2
             << "[WEIR0072] a scale is finite and positive and a zero point in "
                "-128 to 127, got "
             << std::to_string(scale) << " and " << zero;
  return success();
}

LogicalResult QuantizeOp::infer(Adaptor adaptor, InferContext context,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType type = typeOf(adaptor.getInput());
  if (failed(checkStorage(adaptor, type, context)))
    return failure();
  types.push_back(type.clone(IntegerType::get(context.context, 8)));
  return success();
}

LogicalResult DequantizeOp::infer(Adaptor adaptor, InferContext context,
                                  SmallVectorImpl<Type> &types) {
  RankedTensorType type = typeOf(adaptor.getInput());
  if (failed(checkStorage(adaptor, type, context)))
    return failure();
  types.push_back(type.clone(Float32Type::get(context.context)));
  return success();
}

/// An error unless sums of `columns` columns can be made int8 so.
template <typename Adaptor>
static LogicalResult checkRequantize(Adaptor adaptor, int64_t columns,
                                     InferContext context) {
  RankedTensorType bias = typeOf(adaptor.getBias());
  if (bias.getRank() != 1 || bias.getDimSize(0) != columns)
    return context.error() // quantized_matmul_c1, quantized_conv2d_c2
           << "[WEIR0073] the bias is " << bias << " for " << columns
           << " columns; there has to be one entry for each";
  auto multipliers = static_cast<int64_t>(adaptor.getMultipliers().size()),
       shifts = static_cast<int64_t>(adaptor.getShifts().size());
  if (multipliers != shifts || (multipliers != 1 && multipliers != columns))
    return context.error() // quantized_matmul_c2
           << "[WEIR0073] there are " << multipliers << " multipliers and "
           << shifts << " shifts; there has to be one, or one for each of "
           << columns << " columns";
  for (auto [multiplier, shift] :
       llvm::zip_equal(adaptor.getMultipliers(), adaptor.getShifts()))
    if (multiplier < 0 || shift < 1 || shift > 62)
      return context.error() // quantized_matmul_c2
             << "[WEIR0073] a multiplier is not negative and a shift in 1 to "
                "62, got "
             << multiplier << " and " << shift;
  auto input = static_cast<int32_t>(adaptor.getInputZero()),
       output = static_cast<int32_t>(adaptor.getOutputZero()),
       low = static_cast<int32_t>(adaptor.getMin()),
       high = static_cast<int32_t>(adaptor.getMax());
  if (!isInt8(input) || !isInt8(output) || !isInt8(low) || !isInt8(high) ||
      low > high)
    return context.error() // quantized_matmul_c3
           << "[WEIR0073] zero points " << input << " and " << output
           << ", min " << low << " and max " << high
           << " have to be in -128 to 127, and min <= max";
  return success();
}

LogicalResult QuantizedMatmulOp::infer(Adaptor adaptor, InferContext context,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = typeOf(adaptor.getLhs()),
                   rhs = typeOf(adaptor.getRhs());
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || rhs.isDynamicDim(1))
    return context.error() // quantized_matmul_c1
           << "[WEIR0030] operands have rank 2 and a known number of columns, "
              "got "
           << lhs << " and " << rhs;
  int64_t k = lhs.getDimSize(1), k2 = rhs.getDimSize(0);
  if (!isDynamic(k) && !isDynamic(k2) && k != k2) // quantized_matmul_c1
    return context.error() << "[WEIR0031] contracts " << k << " columns of "
                           << lhs << " with " << k2 << " rows of " << rhs
                           << "; the two extents have to be equal";
  if (failed(checkRequantize(adaptor, rhs.getDimSize(1), context)))
    return failure();
  types.push_back(RankedTensorType::get({lhs.getDimSize(0), rhs.getDimSize(1)},
                                        lhs.getElementType()));
  return success();
}

LogicalResult QuantizedConv2dOp::infer(Adaptor adaptor, InferContext context,
                                       SmallVectorImpl<Type> &types) {
  auto result = inferConv2d(adaptor, context);
  if (failed(result) ||
      failed(checkRequantize(adaptor, result->getDimSize(3), context)))
    return failure();
  types.push_back(*result);
  return success();
}

LogicalResult QuantizedMaxPoolOp::infer(Adaptor adaptor, InferContext context,
                                        SmallVectorImpl<Type> &types) {
  auto result = inferPool(adaptor, adaptor.getInput(), context);
  if (failed(result))
    return failure();
  types.push_back(*result);
  return success();
}

} // namespace weir
