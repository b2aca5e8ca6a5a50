//===- Launch.h - Kernels as launches ----------------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each emitter makes one `gpu.launch` of a nest (passes/Codegen/Kernels/Nest.h)
// or fails without having made anything when the nest has not the form that it
// is for. Blocks have one dimension, and so have grids: their numbers are taken
// apart in the kernel, which knows no limit on the second and third.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_GPU_LAUNCH_H
#define WEIR_PASSES_CODEGEN_GPU_LAUNCH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/Codegen/Kernels/Vectorize.h"

namespace weir::gpus {

using namespace mlir;
using kernels::Access;
using kernels::constantIndex;
using kernels::Cursor;
using kernels::Nest;
using kernels::NestDim;
using kernels::Stride;

/// On a launch: the kernel and its place, for messages and names.
constexpr StringLiteral nodeAttrName = "rt.node";
constexpr StringLiteral kernelAttrName = "rt.kernel";
/// On a load in a kernel: all threads of a block get the same value.
constexpr StringLiteral uniformAttrName = "rt.uniform";

/// Threads of a block where nothing asks for another number.
constexpr int64_t blockSize = 256;
constexpr int64_t warpSize = 32;

/// What a launch is called: the kernel that it is part of, and the place in the
/// user's text.
struct LaunchName {
  std::string kernel;
  std::string node;
  static LaunchName of(Operation *op);
};

/// Makes a launch of `blocks` blocks; `body` gets the number of the block and
/// of the thread in it.
void emitLaunch(OpBuilder &b, Location loc, const LaunchName &name,
                Value blocks, int64_t threads, int64_t sharedBytes,
                function_ref<void(OpBuilder &, Value, Value)> body);

/// A buffer in the shared memory of the block, from `offset` on.
Value sharedBuffer(OpBuilder &b, Location loc, int64_t offset,
                   ArrayRef<int64_t> shape, Type element);

/// Index arithmetic that folds.
Value add(OpBuilder &b, Location loc, Value lhs, Value rhs);
Value mul(OpBuilder &b, Location loc, Value lhs, int64_t rhs);
/// Of numbers that are not negative.
Value divide(OpBuilder &b, Location loc, Value lhs, Value rhs, bool narrow);
Value remainder(OpBuilder &b, Location loc, Value lhs, Value rhs, bool narrow);
Value lessThan(OpBuilder &b, Location loc, Value lhs, Value rhs);
/// The number of elements that `dims` span.
Value product(OpBuilder &b, const Nest &nest, ArrayRef<unsigned> dims);
/// Whether 32 bits hold all numbers below the product of `dims`.
bool isNarrow(const Nest &nest, ArrayRef<unsigned> dims);
/// The static product of `dims`, or dynamic.
int64_t staticProduct(const Nest &nest, ArrayRef<unsigned> dims);

/// The cursor of iteration `number` of the loops `dims` taken together, the
/// last one fastest. Loops of `dims` are entered from `at`.
Cursor enterAll(OpBuilder &b, const Nest &nest, const Cursor &at,
                ArrayRef<unsigned> dims, Value number);

/// One value for each access: what the body uses, loaded where `at` stands;
/// outputs are taken from `carried` where that is not empty.
SmallVector<Value> loadOperands(OpBuilder &b, const Nest &nest,
                                const Cursor &at, ValueRange carried = {});
void storeResults(OpBuilder &b, const Nest &nest, const Cursor &at,
                  ValueRange results);

/// The parallel and the reduction loops of a nest, slowest first.
SmallVector<unsigned> parallelDims(const Nest &nest);
SmallVector<unsigned> reductionDims(const Nest &nest);

/// All of one element of the result, where `at` stands in parallel loops.
void emitElement(OpBuilder &b, const Nest &nest, const Cursor &at);

/// A thread for each element of the result; any nest.
void emitPointwise(OpBuilder &b, Nest &nest, const LaunchName &name);
/// Groups of threads that share the work of one element of the result.
LogicalResult emitReduction(OpBuilder &b, Nest &nest, const LaunchName &name);
/// Tiles in shared memory. `zeroInit`: the output is zero on entry, though
/// nothing has written that.
bool isContraction(const Nest &nest);
void emitContraction(OpBuilder &b, Nest &nest, const LaunchName &name,
                     bool zeroInit);
/// The same by matrix instructions, of f16 and bf16; with `tf32` also of f32,
/// whose operands lose bits.
bool isMatrixContraction(const Nest &nest, bool tf32);
void emitMatrixContraction(OpBuilder &b, Nest &nest, const LaunchName &name,
                           bool zeroInit);
/// Whether a kernel can run a sequential loop of the host: it carries nothing,
/// and holds structured ops, accesses to buffers and arithmetic only.
bool isKernelLoop(scf::ForOp loop);
/// Replaces such a loop. Fails with an error.
LogicalResult emitLoop(scf::ForOp loop);

/// How the loops of a contraction are operands': those of the result's rows
/// (only the first input moves), its columns (only the second), those that both
/// go along with, and those that are summed over.
struct ContractionDims {
  SmallVector<unsigned> batch, rows, columns, sums;
  static ContractionDims of(const Nest &nest);
};

} // namespace weir::gpus

#endif // WEIR_PASSES_CODEGEN_GPU_LAUNCH_H
