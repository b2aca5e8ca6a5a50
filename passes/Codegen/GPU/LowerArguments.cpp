//===- LowerArguments.cpp - What a kernel is given ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/KernelArguments.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weir;

SmallVector<Type> gpus::flatTypes(Type type) {
  MLIRContext *context = type.getContext();
  Type i64 = IntegerType::get(context, 64);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return {type.isIndex() ? i64 : type};
  SmallVector<Type> types{LLVM::LLVMPointerType::get(context)};
  types.append(memref.getNumDynamicDims(), i64);
  types.append(
      llvm::count_if(memref.getStridesAndOffset().first, ShapedType::isDynamic),
      i64);
  return types;
}

Value gpus::rebuildArgument(OpBuilder &b, Location loc,
                            const LLVMTypeConverter &converter, Type type,
                            ValueRange flat) {
  auto cast = [&](Value value) {
    return UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
  };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type.isIndex() ? cast(flat.front()) : flat.front();
  auto number = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                    b.getI64IntegerAttr(value));
  };
  auto [strides, offset] = memref.getStridesAndOffset();
  Value first = flat.front();
  // The type may count elements before the first one.
  int64_t before = ShapedType::isDynamic(offset) ? 0 : offset;
  if (before != 0)
    first = LLVM::GEPOp::create(
        b, loc, first.getType(), converter.convertType(memref.getElementType()),
        first, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(-before)});
  auto descriptor =
      MemRefDescriptor::poison(b, loc, converter.convertType(memref));
  descriptor.setAllocatedPtr(b, loc, first);
  descriptor.setAlignedPtr(b, loc, first);
  descriptor.setOffset(b, loc, number(before));
  size_t next = 1;
  for (auto [i, extent] : llvm::enumerate(memref.getShape()))
    descriptor.setSize(b, loc, i,
                       ShapedType::isDynamic(extent) ? flat[next++]
                                                     : number(extent));
  // A row-major buffer of dynamic extents has dynamic strides too.
  for (auto [i, stride] : llvm::enumerate(strides))
    descriptor.setStride(b, loc, i,
                         ShapedType::isDynamic(stride) ? flat[next++]
                                                       : number(stride));
  return cast(descriptor);
}

void gpus::lowerArguments(gpu::GPUFuncOp kernel,
                          const LLVMTypeConverter &converter) {
  Block &body = kernel.getBody().front();
  Location loc = kernel.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  unsigned count = body.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument argument = body.getArgument(i);
    SmallVector<Value> flat;
    for (Type type : flatTypes(argument.getType()))
      flat.push_back(body.addArgument(type, loc));
    argument.replaceAllUsesWith(
        rebuildArgument(b, loc, converter, argument.getType(), flat));
  }
  body.eraseArguments(0, count);
  kernel.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
}
