//===- Emulator.h - A GPU kernel as a function of the host -------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel is cut where threads meet; each piece becomes a loop over them.
// Values are of three kinds: those that are the same in all threads are
// computed once, outside of such loops; those of one piece live in its loop;
// others have a buffer with a place for each thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_GPU_EMULATOR_H
#define WEIR_PASSES_CODEGEN_GPU_EMULATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace weir::gpus {

using namespace mlir;

/// Makes the function `NAME.emulated` (WeirGpuEmulatedFn) of a kernel at `b`.
/// Fails, with an error, where threads meet in code that not all of them run.
LogicalResult emulate(OpBuilder &b, gpu::GPUFuncOp kernel);

class Emulator {
public:
  Emulator(OpBuilder &b, gpu::GPUFuncOp kernel)
      : kernel(kernel), b(b), loc(kernel.getLoc()) {}
  LogicalResult run();

private:
  /// Whether threads meet in it.
  static bool meets(Operation *op);
  /// Whether it is the same in all threads of a block.
  bool isUniform(Value value);
  bool isUniform(Operation *op);

  LogicalResult emitBlock(Block &block);
  LogicalResult emitMeeting(Operation *op);
  LogicalResult emitFor(scf::ForOp loop);
  LogicalResult emitIf(scf::IfOp branch);
  void emitShuffle(gpu::ShuffleOp shuffle);
  void emitMatrixMultiply(nvgpu::MmaSyncOp multiply);
  void emitPiece(ArrayRef<Operation *> piece);
  /// A loop over the threads.
  void forThreads(function_ref<void(OpBuilder &, Value)> body);

  /// The buffer of a value that outlives its piece.
  Value bufferOf(Value value);
  /// `value` in thread `thread`.
  Value inThread(OpBuilder &b, Value value, Value thread);
  void setInThread(OpBuilder &b, Value value, Value thread, Value to);
  /// Copies `from` to `to`, values of the kernel, in all threads at once.
  void assign(ValueRange from, ValueRange to);
  void emitUniform(Operation *op);

  Value constant(OpBuilder &b, int64_t number);
  /// Shared memory is memory like any other here.
  static Type hostType(Type type);
  static void toHostTypes(Operation *op);

  gpu::GPUFuncOp kernel;
  OpBuilder &b;
  Location loc;
  int64_t threads = 0;
  func::FuncOp function;
  Value gridSize, blockIndex, shared;
  /// Values that are the same in all threads, as the function has them.
  IRMapping uniform;
  llvm::DenseMap<Value, bool> uniformity;
  llvm::DenseMap<Value, Value> buffers;
};

} // namespace weir::gpus

#endif // WEIR_PASSES_CODEGEN_GPU_EMULATOR_H
