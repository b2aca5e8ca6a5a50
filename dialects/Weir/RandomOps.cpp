//===- RandomOps.cpp - Random numbers
//------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

static LogicalResult inferRandom(Value seed, Type type, InferContext context,
                                 SmallVectorImpl<Type> &types) {
  auto seedType = cast<RankedTensorType>(seed.getType());
  auto result = dyn_cast<RankedTensorType>(type);
  if (seedType.getShape() != ArrayRef<int64_t>{2}) // random_uniform_c1
    return context.error() << "[WEIR0060] the seed is tensor<2xi64>, got "
                           << seedType;
  if (!result || !result.hasStaticShape()) // random_uniform_c2
    return context.error()
           << "[WEIR0060] the extents of random numbers are static, got "
           << type;
  types.push_back(result);
  return success();
}

LogicalResult RandomUniformOp::infer(Adaptor adaptor, InferContext context,
                                     SmallVectorImpl<Type> &types) {
  return inferRandom(adaptor.getSeed(), adaptor.getType(), context, types);
}

LogicalResult RandomNormalOp::infer(Adaptor adaptor, InferContext context,
                                    SmallVectorImpl<Type> &types) {
  return inferRandom(adaptor.getSeed(), adaptor.getType(), context, types);
}

} // namespace weir
