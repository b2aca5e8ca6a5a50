//===- LowerMatrix.cpp - Matrix instructions in NVVM ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own lowering of nvgpu.mma.sync knows no bf16.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/KernelArguments.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weir;

/// The registers of a fragment: two f16 are a vector, two bf16 or one number of
/// 32 bits an integer.
static SmallVector<Value> registersOf(OpBuilder &b, Location loc,
                                      Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  SmallVector<Value> registers;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value row = vector::ExtractOp::create(b, loc, fragment, i);
    if (!type.getElementType().isF16()) {
      row = vector::BitCastOp::create(
          b, loc, VectorType::get({1}, b.getI32Type()), row);
      row = vector::ExtractOp::create(b, loc, row, 0);
    }
    registers.push_back(row);
  }
  return registers;
}

void gpus::lowerMatrixMultiply(nvgpu::MmaSyncOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type element = op.getMatrixA().getType().getElementType();
  NVVM::MMATypes type = element.isF16()    ? NVVM::MMATypes::f16
                        : element.isBF16() ? NVVM::MMATypes::bf16
                                           : NVVM::MMATypes::tf32;
  SmallVector<Value> sums;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 2; ++j)
      sums.push_back(vector::ExtractOp::create(b, loc, op.getMatrixC(),
                                               ArrayRef<int64_t>{i, j}));
  Type f32 = b.getF32Type();
  auto results =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  Value product = NVVM::MmaOp::create(
      b, loc, results, registersOf(b, loc, op.getMatrixA()),
      registersOf(b, loc, op.getMatrixB()), sums, op.getMmaShapeAsArray(),
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  Value result = op.getMatrixC();
  for (int64_t i = 0; i < 4; ++i)
    result = vector::InsertOp::create(
        b, loc, LLVM::ExtractValueOp::create(b, loc, product, i), result,
        ArrayRef<int64_t>{i / 2, i % 2});
  op.getRes().replaceAllUsesWith(result);
  op.erase();
}
