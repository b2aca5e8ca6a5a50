//===- EmulateMatrix.cpp - Matrix instructions by their definition --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of the fragments of mma.sync are: PTX ISA, "Matrix
// fragments for mma.m16n8k16 with floating point type" and for mma.m16n8k8 of
// tf32. With group = lane / 4 and place = lane % 4, element (i, j) of a
// vector<nxp>, where p is 2 for half precision and 1 for tf32, is
//   A (n = 4): row group + 8 * (i % 2), term p * place + j + 4 * p * (i / 2)
//   B (n = 2): term p * place + j + 4 * p * i, column group
//   C (n = 2, p = 2): row group + 8 * i, column 2 * place + j
// Of tf32, the instruction does not look at the last 13 bits.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Emulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

void Emulator::emitMatrixMultiply(nvgpu::MmaSyncOp multiply) {
  forThreads([&](OpBuilder &b, Value thread) {
    auto plus = [&](Value lhs, Value rhs) -> Value {
      return arith::AddIOp::create(b, loc, lhs, rhs);
    };
    auto times = [&](Value lhs, int64_t rhs) -> Value {
      return arith::MulIOp::create(b, loc, lhs, constant(b, rhs));
    };
    Value lane = arith::RemUIOp::create(b, loc, thread, constant(b, 32));
    Value warp = arith::SubIOp::create(b, loc, thread, lane);
    Value group = arith::DivUIOp::create(b, loc, lane, constant(b, 4));
    Value place = arith::RemUIOp::create(b, loc, lane, constant(b, 4));
    // Element (i, j) of a fragment of lane `lane`.
    auto element = [&](Value fragment, Value lane, int64_t i, int64_t j) {
      Value vector = inThread(b, fragment, plus(warp, lane));
      return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{i, j})
          .getResult();
    };
    Value sums = inThread(b, multiply.getMatrixC(), thread);
    Type wide = cast<VectorType>(sums.getType()).getElementType();
    auto widen = [&](Value value) -> Value {
      if (value.getType() != wide)
        return arith::ExtFOp::create(b, loc, wide, value);
      Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
      Value mask = arith::ConstantIntOp::create(b, loc, ~0x1FFF, 32);
      bits = arith::AndIOp::create(b, loc, bits, mask);
      return arith::BitcastOp::create(b, loc, wide, bits);
    };
    int64_t pair = multiply.getMatrixA().getType().getDimSize(1);
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        Value sum =
            vector::ExtractOp::create(b, loc, sums, ArrayRef<int64_t>{i, j});
        // Column 2 * place + j is what lanes of that group have of B.
        Value column = plus(times(place, 2), constant(b, j));
        for (int64_t term = 0; term < 8 * pair; ++term) {
          int64_t half = term / (4 * pair), odd = term % pair,
                  holder = term % (4 * pair) / pair;
          Value lhs = element(multiply.getMatrixA(),
                              plus(times(group, 4), constant(b, holder)),
                              i + 2 * half, odd);
          Value rhs =
              element(multiply.getMatrixB(),
                      plus(times(column, 4), constant(b, holder)), half, odd);
          sum = arith::AddFOp::create(
              b, loc, sum,
              arith::MulFOp::create(b, loc, widen(lhs), widen(rhs)));
        }
        sums = vector::InsertOp::create(b, loc, sum, sums,
                                        ArrayRef<int64_t>{i, j});
      }
    setInThread(b, multiply.getRes(), thread, sums);
  });
}
